//! What a plugin may do beyond changing its component's objects. It takes two yeses: the plugin declares a capability,
//! and the administrator's declaration grants it.

use std::collections::BTreeSet;
use std::fmt;
use std::str::FromStr;

use serde::Deserialize;

/// Something that a plugin may only do if granted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Capability {
    /// Add or widen RBAC, or let pods run under another ServiceAccount.
    Rbac,
    /// Privileged containers, added Linux capabilities, privilege escalation, weaker pod security.
    Privilege,
    /// Volumes of the kind `hostPath`.
    HostPath,
    /// The host's network, process and IPC namespaces, and host ports.
    HostNamespaces,
    /// Add objects without a namespace, or in a namespace that the component does not use.
    ObjectsElsewhere,
}

impl Capability {
    /// All of them.
    pub const ALL: [Self; 5] =
        [Self::Rbac, Self::Privilege, Self::HostPath, Self::HostNamespaces, Self::ObjectsElsewhere];

    /// Name, as declarations and plugins spell it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Rbac => "rbac",
            Self::Privilege => "privilege",
            Self::HostPath => "host-path",
            Self::HostNamespaces => "host-namespaces",
            Self::ObjectsElsewhere => "objects-elsewhere",
        }
    }
}

impl fmt::Display for Capability {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A capability that this host does not know.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("capability {0:?} is not known; there are rbac, privilege, host-path, host-namespaces and objects-elsewhere")]
pub struct Unknown(String);

impl FromStr for Capability {
    type Err = Unknown;

    fn from_str(name: &str) -> Result<Self, Unknown> {
        Self::ALL.into_iter().find(|known| known.name() == name).ok_or_else(|| Unknown(name.into()))
    }
}

/// What one plugin declares and what it was granted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Grants {
    declared: BTreeSet<Capability>,
    granted: BTreeSet<Capability>,
}

impl Grants {
    /// From both sides.
    pub fn new(declared: BTreeSet<Capability>, granted: BTreeSet<Capability>) -> Self {
        Self { declared, granted }
    }

    /// Whose yes is missing, and what to do about it; none if both said it.
    pub(crate) fn missing(&self, capability: Capability) -> Option<&'static str> {
        match (self.declared.contains(&capability), self.granted.contains(&capability)) {
            (true, true) => None,
            (true, false) => Some("its declaration does not grant it; add it to grants if that is meant"),
            (false, _) => Some("the plugin itself does not declare that it needs it"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_capability_works_only_with_both_yeses() {
        let one = BTreeSet::from([Capability::Rbac]);
        assert_eq!(Grants::new(one.clone(), one.clone()).missing(Capability::Rbac), None);
        assert!(Grants::new(one.clone(), BTreeSet::new()).missing(Capability::Rbac).is_some());
        assert!(Grants::new(BTreeSet::new(), one).missing(Capability::Rbac).is_some());
    }

    #[test]
    fn an_unknown_capability_is_refused_with_those_that_exist() {
        let error = "root".parse::<Capability>().unwrap_err().to_string();
        assert!(Capability::ALL.iter().all(|known| error.contains(known.name())), "{error}");
    }
}

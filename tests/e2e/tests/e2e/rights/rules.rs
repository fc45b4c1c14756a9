//! Rules of roles, and which requests they allow.

use std::collections::BTreeSet;
use std::fmt;

use chimera_kit::AuditEvent;
use serde_json::Value;

/// The smallest part of a rule.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Atom {
    group: String,
    resource: String,
    verb: String,
    /// None: every name.
    name: Option<String>,
}

impl Atom {
    /// The same for every name.
    pub fn of_every_name(&self) -> Self {
        Self { name: None, ..self.clone() }
    }
}

fn texts(rule: &Value, field: &str) -> Vec<String> {
    let list = rule[field].as_array().into_iter().flatten();
    list.map(|text| text.as_str().unwrap().to_owned()).collect()
}

/// All parts of all rules.
pub fn atoms(rules: &Value) -> Vec<Atom> {
    let mut atoms = Vec::new();
    for rule in rules.as_array().unwrap() {
        let mut names: Vec<_> = texts(rule, "resourceNames").into_iter().map(Some).collect();
        if names.is_empty() {
            names.push(None);
        }
        for group in texts(rule, "apiGroups") {
            for resource in texts(rule, "resources") {
                for verb in texts(rule, "verbs") {
                    let atom = |name: &Option<String>| Atom {
                        group: group.clone(),
                        resource: resource.clone(),
                        verb: verb.clone(),
                        name: name.clone(),
                    };
                    atoms.extend(names.iter().map(atom));
                }
            }
        }
    }
    atoms
}

/// A request for a resource.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Request {
    group: String,
    /// With its subresource.
    resource: String,
    verb: String,
    namespace: String,
    name: String,
}

impl Request {
    /// None if it is not for a resource, or for what everybody may ask: who he is.
    pub fn of(event: &AuditEvent) -> Option<Self> {
        let slash = if event.subresource.is_empty() { "" } else { "/" };
        (!event.resource.is_empty() && event.resource != "selfsubjectreviews").then(|| Self {
            group: event.api_group.clone(),
            resource: format!("{}{slash}{}", event.resource, event.subresource),
            verb: event.verb.clone(),
            namespace: event.namespace.clone(),
            name: event.name.clone(),
        })
    }
}

impl fmt::Display for Request {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { group, resource, verb, namespace, name } = self;
        write!(f, "{verb} {resource} of {group:?}, {namespace}/{name}")
    }
}

/// A role where it holds.
#[derive(Clone, Debug)]
pub struct Role {
    /// Its name.
    pub name: String,
    /// None: everywhere.
    namespace: Option<String>,
    rules: Vec<Value>,
}

/// The roles among objects. What is bound only by the operator itself holds in calico-system.
pub fn roles(objects: &[Value]) -> Vec<Role> {
    let of = |object: &Value| {
        let name = object["metadata"]["name"].as_str().unwrap().to_owned();
        let namespace = object["metadata"]["namespace"].as_str().map(str::to_owned);
        let own = (name == "tigera-operator-secrets").then(|| "calico-system".to_owned());
        Role { namespace: namespace.or(own), rules: object["rules"].as_array().unwrap().clone(), name }
    };
    objects
        .iter()
        .filter(|object| ["ClusterRole", "Role"].contains(&object["kind"].as_str().unwrap()))
        .map(of)
        .collect()
}

impl Role {
    fn covers(&self, request: &Request) -> bool {
        self.namespace.as_ref().is_none_or(|namespace| *namespace == request.namespace)
    }

    /// Whether one of its rules allows a request.
    pub fn allows(&self, request: &Request) -> bool {
        self.covers(request) && self.rules.iter().any(|rule| allows(rule, request))
    }

    /// Verbs and names of its rules that none of the requests needs. Of several groups a cluster serves one.
    pub fn idle(&self, requests: &[Request]) -> Vec<String> {
        let place = self.namespace.as_ref().map_or_else(String::new, |namespace| format!(" in {namespace}"));
        let own: Vec<_> = requests.iter().filter(|request| self.covers(request)).collect();
        let mut idle = Vec::new();
        for rule in &self.rules {
            let used: Vec<_> = own.iter().filter(|request| allows(rule, request)).collect();
            for resource in texts(rule, "resources") {
                let of_resource = || used.iter().filter(|request| request.resource == resource);
                let verbs: BTreeSet<_> = of_resource().map(|request| &request.verb).collect();
                let unused = texts(rule, "verbs").into_iter().filter(|verb| !verbs.contains(verb));
                let names = texts(rule, "resourceNames");
                let told = if names.len() == 1 { format!(" {}", names[0]) } else { String::new() };
                idle.extend(unused.map(|verb| format!("{}{place}: {verb} {resource}{told}", self.name)));
                if names.len() > 1 && !texts(rule, "verbs").contains(&"bind".to_owned()) {
                    let unused = names.iter().filter(|name| !of_resource().any(|request| request.name == **name));
                    idle.extend(unused.map(|name| format!("{}{place}: anything of {resource} {name}", self.name)));
                }
            }
        }
        idle
    }
}

fn allows(rule: &Value, request: &Request) -> bool {
    let names = texts(rule, "resourceNames");
    // A name in the body of what is created does not count.
    let named = names.is_empty() || (request.verb != "create" && names.contains(&request.name));
    texts(rule, "apiGroups").contains(&request.group)
        && texts(rule, "resources").contains(&request.resource)
        && texts(rule, "verbs").contains(&request.verb)
        && named
}

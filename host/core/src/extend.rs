//! The step between render and apply: plugins in their order, each seeing what the ones before it left, then what the
//! user overrides.

use std::collections::BTreeMap;

use crate::component::{Component, Extended, Rendered};
use crate::extensions::{ComponentView, ErrorKind, ExtensionError, Extensions, Modification, Operation, Point};
use crate::object::{Object, ObjectKey};
use crate::overrides;
use crate::provenance::{Origin, Provenance};

/// Passes a component through every modifier, then lays the user's override fields on top.
///
/// # Errors
/// The first modifier that fails, answers with an operation that does not fit, or sets a field that another one set to
/// something else. Nothing of the component may be applied then.
pub fn extend(
    mut component: Component<Rendered>,
    point: Point<'_>,
    extensions: &dyn Extensions,
) -> Result<(Component<Extended>, Provenance), ExtensionError> {
    let mut draft = Draft::new(component.take());
    for modifier in 0..extensions.modifiers() {
        let view = ComponentView { name: component.name(), objects: &draft.objects };
        if let Some(modification) = extensions.modify(modifier, point, view)? {
            draft.apply(modification)?;
        }
    }
    let Draft { objects, deletions, mut provenance } = draft;
    let (component, overridden) = overrides::lay_on(component.extended(objects, deletions), point, &provenance);
    provenance.merge(overridden);
    Ok((component.with_origins(provenance.clone()), provenance))
}

/// A component while modifiers work on it.
struct Draft {
    objects: Vec<Object>,
    deletions: Vec<ObjectKey>,
    provenance: Provenance,
}

impl Draft {
    fn new((objects, deletions): (Vec<Object>, Vec<ObjectKey>)) -> Self {
        Self { objects, deletions, provenance: Provenance::default() }
    }

    fn apply(&mut self, modification: Modification) -> Result<(), ExtensionError> {
        let Modification { plugin, digest, operations } = modification;
        let author = Author { plugin, digest };
        operations.into_iter().try_for_each(|operation| match operation {
            Operation::Add(object) => self.add(object, &author),
            Operation::Replace(object) => self.replace(object, &author),
            Operation::Remove { key, reason: _ } => self.remove(&key, &author),
        })
    }

    fn add(&mut self, object: Object, author: &Author) -> Result<(), ExtensionError> {
        if self.objects.iter().any(|other| other.key() == object.key()) {
            return Err(author.refused("ObjectExists", format!("it adds {}, which is there already", object.key())));
        }
        self.provenance.record(None, &object, &author.origin());
        self.deletions.retain(|key| key != object.key());
        self.objects.push(object);
        Ok(())
    }

    fn replace(&mut self, object: Object, author: &Author) -> Result<(), ExtensionError> {
        let Some(place) = self.objects.iter_mut().find(|other| other.key() == object.key()) else {
            return Err(author.refused("NoSuchObject", format!("it replaces {}, which is not there", object.key())));
        };
        let mut changes = Provenance::default();
        changes.record(Some(place), &object, &author.origin());
        author.conflict(&object, self.provenance.of(object.key()), changes.of(object.key()))?;
        self.provenance.merge(changes);
        *place = object;
        Ok(())
    }

    fn remove(&mut self, key: &ObjectKey, author: &Author) -> Result<(), ExtensionError> {
        let Some(at) = self.objects.iter().position(|object| object.key() == key) else {
            return Err(author.refused("NoSuchObject", format!("it removes {key}, which is not there")));
        };
        if let Some((_, other)) = author.first_of_another(self.provenance.of(key)) {
            return Err(author.refused("Conflict", format!("it removes {key}, which plugin {other} changed")));
        }
        self.objects.remove(at);
        self.deletions.push(key.clone());
        Ok(())
    }
}

/// The plugin whose operations are laid on.
struct Author {
    plugin: String,
    digest: String,
}

impl Author {
    fn origin(&self) -> Origin {
        Origin::Plugin { name: self.plugin.clone(), digest: self.digest.clone() }
    }

    fn refused(&self, reason: &str, message: String) -> ExtensionError {
        ExtensionError {
            plugin: self.plugin.clone(),
            digest: self.digest.clone(),
            kind: ErrorKind::Internal,
            reason: reason.into(),
            message,
            field_path: None,
            retry_after_ms: None,
        }
    }

    /// Fails if a field that this plugin changes was set by another one.
    fn conflict(
        &self,
        object: &Object,
        before: Option<&BTreeMap<String, Origin>>,
        changes: Option<&BTreeMap<String, Origin>>,
    ) -> Result<(), ExtensionError> {
        let (Some(before), Some(changes)) = (before, changes) else { return Ok(()) };
        let both = before.iter().filter(|(pointer, _)| changes.contains_key(*pointer));
        let both = both.map(|(pointer, origin)| (pointer.clone(), origin.clone())).collect();
        let Some((pointer, other)) = self.first_of_another(Some(&both)) else { return Ok(()) };
        let key = object.key();
        let detail = format!("it sets this field of {key}, which plugin {other} set already");
        let mut error = self.refused("Conflict", detail);
        error.field_path = Some(pointer);
        Err(error)
    }

    fn first_of_another(&self, fields: Option<&BTreeMap<String, Origin>>) -> Option<(String, String)> {
        fields?.iter().find_map(|(pointer, origin)| match origin {
            Origin::Plugin { name, .. } if *name != self.plugin => Some((pointer.clone(), name.clone())),
            _ => None,
        })
    }
}

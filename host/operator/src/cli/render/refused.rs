//! What an API server would refuse before the operator ever saw it.

use chimera_core::codes;
use chimera_core::message::Message;
use chimera_crds::schema;

use super::files::Given;

/// Everything in the files that the schemas of this release do not take. Of the cluster's state nothing counts that
/// another release may know.
pub(super) fn problems(given: &Given) -> Vec<String> {
    let wanted = given.wanted.iter().map(|object| (object, true));
    let objects = wanted.chain(given.state.iter().map(|object| (object, false)));
    let mut said = Vec::new();
    for (object, strict) in objects {
        for problem in schema::problems(&object.clone().into_value()) {
            if strict || !problem.unknown {
                let message = Message::new(&codes::INVALID_CONFIGURATION, problem.message);
                said.push(message.on(object.key()).field(problem.path).to_string());
            }
        }
    }
    said
}

//! Every controller of a resource has the same files, in the order that data flows.

use std::path::Path;

const STEPS: [&str; 6] = ["dereference", "validate", "render", "extend", "apply", "status"];

#[test]
fn each_controller_is_a_folder_with_the_same_steps() {
    let folder = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../host/operator/src/controllers"));
    let folders: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    let controllers: Vec<_> = folders.into_iter().filter(|path| path.join("dereference.rs").is_file()).collect();
    assert!(controllers.len() > 10, "{controllers:?}");
    for controller in controllers {
        let module = std::fs::read_to_string(controller.with_extension("rs")).unwrap();
        for step in STEPS {
            assert!(controller.join(format!("{step}.rs")).is_file(), "{} lacks {step}.rs", controller.display());
            let declared = module.lines().any(|line| line.trim_end().ends_with(&format!("mod {step};")));
            assert!(declared, "{} does not have {step}", controller.display());
        }
    }
}

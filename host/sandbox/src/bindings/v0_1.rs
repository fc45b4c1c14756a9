//! `chimera:plugin@0.1.0`. The world is the host's own: it names all that a plugin may export, of which each is looked
//! up by itself.

#![allow(missing_docs, unreachable_pub, clippy::all, clippy::pedantic, reason = "generated from the interface files")]

wasmtime::component::bindgen!({
    path: "../../wit/since-v0.1.0",
    inline: "
        package chimera:host;
        world everything {
            import chimera:plugin/log@0.1.0;
            export chimera:plugin/describe@0.1.0;
            export chimera:plugin/modify-any@0.1.0;
            export chimera:plugin/modify-installation@0.1.0;
        }
    ",
    world: "everything",
});

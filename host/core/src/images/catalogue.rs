//! The images that the core deploys.

macro_rules! catalogue {
    ($($(#[$doc:meta])* $image:ident = $name:literal,)+) => {
        /// An image that the core deploys.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Image { $($(#[$doc])* $image,)+ }

        impl Image {
            /// All of them.
            pub const ALL: &[Self] = &[$(Self::$image,)+];

            /// The last part of its reference, before the tag.
            pub fn name(self) -> &'static str {
                match self { $(Self::$image => $name,)+ }
            }
        }
    };
}

catalogue! {
    /// Most components in one image: kube-controllers, Typha, the API server, CNI and CSI plugins, Goldmane and more.
    Calico = "calico",
    /// calico-node on Linux, with Felix, BIRD and confd.
    Node = "node",
    /// calico-node on Windows.
    NodeWindows = "node-windows",
    /// The CNI reference plugins that Calico's plugin calls.
    CniPlugins = "third-party-cni-plugins",
    /// The CNI plugin for Windows.
    CniWindows = "cni-windows",
    /// The user interface for flows.
    Whisker = "whisker",
    /// Envoy Gateway's controller.
    EnvoyGateway = "envoy-gateway",
    /// The proxy that Envoy Gateway runs.
    EnvoyProxy = "envoy-proxy",
    /// The rate limiter that Envoy Gateway runs.
    EnvoyRatelimit = "envoy-ratelimit",
    /// Istio's control plane.
    IstioPilot = "istio-pilot",
    /// Istio's CNI plugin.
    IstioInstallCni = "istio-install-cni",
    /// Istio's proxy for a node.
    IstioZtunnel = "istio-ztunnel",
    /// Istio's proxy for a waypoint.
    IstioProxy = "istio-proxyv2",
}

//! The command line. Exit codes: 0 fine, 1 findings, 2 could not decide (clap uses it for usage errors too).

mod checked;

use std::net::{IpAddr, Ipv6Addr, SocketAddr};
use std::path::PathBuf;
use std::str::FromStr;

use clap::{ArgAction, Args, Parser, Subcommand, ValueEnum};

/// Installs and runs Calico on a Kubernetes cluster.
#[derive(Debug, Parser)]
#[command(name = "chimera", version, arg_required_else_help = true)]
pub struct Cli {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

/// The subcommands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Run the operator until SIGTERM or SIGINT
    Run(RunArgs),
    /// Print the objects that the operator would apply, without a cluster
    Render(RenderArgs),
    /// Print the images that the operator deploys
    Images(ImagesArgs),
    /// Print the CustomResourceDefinitions that the operator needs
    Crds(CrdsArgs),
    /// Tell which charts the operator deploys GatewayAPI and Istio from, and which rights it needs for them
    Charts(ChartsArgs),
    /// Tell what the operator would make of a manifest install of Calico in kube-system
    Migrate(MigrateArgs),
    /// Compile one plugin into the compile cache (started by `run`)
    #[command(hide = true)]
    CompilePlugin(CompilePluginArgs),
}

/// Flags of `chimera run`.
#[derive(Debug, Args)]
pub struct RunArgs {
    /// Path of the kubeconfig; default: KUBECONFIG, then ~/.kube/config, then the pod's service account
    #[arg(long, value_name = "FILE")]
    pub kubeconfig: Option<PathBuf>,
    /// Act only while holding the lease `operator-lock`; with `false` make sure yourself that one operator runs
    #[arg(long, default_value_t = true, num_args = 0..=1, default_missing_value = "true", action = ArgAction::Set, value_name = "BOOL")]
    pub leader_elect: bool,
    /// Namespace of the operator: its lease, key pairs and plugin declarations
    #[arg(long, env = "OPERATOR_NAMESPACE", default_value = "tigera-operator", value_parser = checked::namespace, value_name = "NAME")]
    pub namespace: String,
    /// Where to serve Prometheus metrics (`/metrics`), as `host:port` or `:port`; `0` serves none
    #[arg(long, default_value = ":9484", value_name = "ADDRESS")]
    pub metrics_bind_address: BindAddress,
    /// Where to serve `/healthz` and `/readyz`, as `host:port` or `:port`; `0` serves none
    #[arg(long, default_value = ":9485", value_name = "ADDRESS")]
    pub health_probe_bind_address: BindAddress,
    /// Folder of plugins (`NAME.wasm`, with settings in `NAME.yaml`), watched for changes
    #[arg(long, value_name = "FOLDER")]
    pub plugin_dir: Option<PathBuf>,
    /// Folder of the compile cache for plugins; default: the user's cache folder
    #[arg(long, value_parser = checked::cache_dir, value_name = "FOLDER")]
    pub plugin_cache_dir: Option<PathBuf>,
    /// Folder of chart bundles, as `cargo xtask charts` packs them, in the place of those that the build embedded
    #[arg(long, value_name = "FOLDER")]
    pub chart_bundles: Option<PathBuf>,
    /// Install and upgrade the CustomResourceDefinitions
    #[arg(long)]
    pub manage_crds: bool,
    /// DNS domain of the cluster; default: from /etc/resolv.conf, else `cluster.local`
    #[arg(long, value_parser = checked::domain, value_name = "DOMAIN")]
    pub cluster_domain: Option<String>,
    /// API group of Calico's own resources; default: what the cluster serves
    #[arg(long, env = "CALICO_API_GROUP", value_parser = checked::api_group, value_name = "GROUP")]
    pub calico_api_group: Option<String>,
    /// Format of the log
    #[arg(long, value_enum, default_value_t = LogFormat::Text)]
    pub log_format: LogFormat,
    /// Level of the log: error, warn, info, debug, trace, or a filter such as `info,chimera_operator=debug`
    #[arg(long, default_value = "info", value_name = "LEVEL")]
    pub log_level: String,
}

/// Flags of `chimera render`.
#[derive(Debug, Args)]
pub struct RenderArgs {
    /// YAML file with an Installation and what goes with it; `-` reads standard input
    #[arg(short, long = "filename", required = true, value_name = "FILE")]
    pub filename: Vec<PathBuf>,
    /// Plugin (`.wasm`) to run over what is rendered; settings are read from the `.yaml` beside it
    #[arg(long, value_name = "FILE")]
    pub plugin: Vec<PathBuf>,
    /// YAML file with objects that stand for the cluster's state: nodes, secrets, Calico resources
    #[arg(long, value_name = "FILE")]
    pub cluster_state: Vec<PathBuf>,
    /// Namespace of the operator
    #[arg(long, env = "OPERATOR_NAMESPACE", default_value = "tigera-operator", value_parser = checked::namespace, value_name = "NAME")]
    pub namespace: String,
    /// DNS domain of the cluster
    #[arg(long, default_value = "cluster.local", value_parser = checked::domain, value_name = "DOMAIN")]
    pub cluster_domain: String,
    /// API group of Calico's own resources
    #[arg(long, env = "CALICO_API_GROUP", value_parser = checked::api_group, value_name = "GROUP")]
    pub calico_api_group: Option<String>,
    /// What to print: the objects, or where each field that is not the core's own comes from
    #[arg(short, long, value_enum, default_value_t = RenderOutput::Yaml)]
    pub output: RenderOutput,
}

/// Output of `chimera render`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum RenderOutput {
    /// Objects as YAML documents
    Yaml,
    /// Objects as one JSON list
    Json,
    /// Fields that a plugin or a policy set, as YAML
    Origins,
}

/// Flags of `chimera images`.
#[derive(Debug, Args)]
pub struct ImagesArgs {
    /// YAML file with an Installation that says where images come from; `-` reads standard input
    #[arg(short, long = "filename", value_name = "FILE")]
    pub filename: Vec<PathBuf>,
    /// What to print: full references, or the names that an ImageSet has to list
    #[arg(short, long, value_enum, default_value_t = ImagesOutput::References)]
    pub output: ImagesOutput,
}

/// Output of `chimera images`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ImagesOutput {
    /// One full reference a line
    References,
    /// An ImageSet to put the digests into
    ImageSet,
}

/// Flags of `chimera crds`.
#[derive(Debug, Args)]
pub struct CrdsArgs {
    /// API group of Calico's own resources: crd.projectcalico.org/v1 or projectcalico.org/v3
    #[arg(long, env = "CALICO_API_GROUP", value_parser = checked::api_group, value_name = "GROUP")]
    pub calico_api_group: Option<String>,
}

/// Flags of `chimera charts`.
#[derive(Debug, Args)]
pub struct ChartsArgs {
    /// Folder of chart bundles in the place of those that the build embedded
    #[arg(long, value_name = "FOLDER")]
    pub chart_bundles: Option<PathBuf>,
    /// Namespace of the operator
    #[arg(long, env = "OPERATOR_NAMESPACE", default_value = "tigera-operator", value_parser = checked::namespace, value_name = "NAME")]
    pub namespace: String,
    /// What to print
    #[arg(short, long, value_enum, default_value_t = ChartsOutput::Names)]
    pub output: ChartsOutput,
}

/// Output of `chimera charts`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ChartsOutput {
    /// Names and versions of the charts
    Names,
    /// ClusterRoles and bindings for the operator's ServiceAccount, as YAML for `kubectl apply -f -`
    Rbac,
}

/// Flags of `chimera migrate`.
#[derive(Debug, Args)]
pub struct MigrateArgs {
    /// Only tell, for each setting and each node; nothing is written. The move itself is the operator's work
    #[arg(long, required = true)]
    pub check: bool,
    /// Path of the kubeconfig; default: KUBECONFIG, then ~/.kube/config, then the pod's service account
    #[arg(long, value_name = "FILE", conflicts_with = "filename")]
    pub kubeconfig: Option<PathBuf>,
    /// YAML file with the manifest install, and with an Installation, IPPools, nodes and pods if at hand; instead of a cluster
    #[arg(short, long = "filename", value_name = "FILE")]
    pub filename: Vec<PathBuf>,
    /// What to print
    #[arg(short, long, value_enum, default_value_t = MigrateOutput::Text)]
    pub output: MigrateOutput,
}

/// Output of `chimera migrate`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum MigrateOutput {
    /// Tables
    Text,
    /// One JSON object
    Json,
    /// The same as YAML
    Yaml,
}

/// Flags of the hidden subcommand that compiles a plugin in a process of its own.
#[derive(Debug, Args)]
pub struct CompilePluginArgs {
    /// Folder of the compile cache
    #[arg(long)]
    pub cache_dir: PathBuf,
}

/// Format of the log.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum LogFormat {
    /// For people
    Text,
    /// One JSON object a line
    Json,
}

/// An address to listen on, or none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BindAddress(pub Option<SocketAddr>);

/// The text is no address to listen on.
#[derive(Debug, thiserror::Error)]
#[error("not an address: give host:port (host as an IP address), :port for every interface, or 0 for none")]
pub struct BadAddress;

impl FromStr for BindAddress {
    type Err = BadAddress;

    fn from_str(text: &str) -> Result<Self, BadAddress> {
        if text == "0" {
            return Ok(Self(None));
        }
        let Some(port) = text.strip_prefix(':') else {
            return text.parse().map(|address| Self(Some(address))).map_err(|_| BadAddress);
        };
        let port = port.parse().map_err(|_| BadAddress)?;
        Ok(Self(Some(SocketAddr::new(IpAddr::V6(Ipv6Addr::UNSPECIFIED), port))))
    }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory as _;

    use super::*;

    #[test]
    fn the_command_line_is_consistent() {
        Cli::command().debug_assert();
    }

    #[test]
    fn zero_turns_an_address_off_and_a_port_alone_means_every_interface() {
        assert_eq!("0".parse::<BindAddress>().unwrap(), BindAddress(None));
        assert_eq!(":80".parse::<BindAddress>().unwrap().0.unwrap().to_string(), "[::]:80");
        assert_eq!("127.0.0.1:80".parse::<BindAddress>().unwrap().0.unwrap().to_string(), "127.0.0.1:80");
        assert!("localhost".parse::<BindAddress>().is_err());
    }

    #[test]
    fn a_flag_that_can_never_work_is_refused_at_the_start() {
        let file = concat!("--plugin-cache-dir=", env!("CARGO_MANIFEST_DIR"), "/Cargo.toml");
        for flag in ["--namespace=A B", "--namespace=", "--cluster-domain=!! x", "--calico-api-group=foo/v9", file] {
            let error = Cli::try_parse_from(["chimera", "run", flag]).unwrap_err();
            let (name, _) = flag.split_once('=').unwrap();
            assert!(error.to_string().contains(name), "{error}");
            assert_eq!(error.exit_code(), 2);
        }
        let fine = ["chimera", "run", "--namespace=calico-2", "--cluster-domain=k8s.example", "--calico-api-group="];
        assert!(Cli::try_parse_from(fine).is_ok());
    }

    #[test]
    fn leader_election_is_on_unless_turned_off() {
        let elects = |arguments: &[&str]| match Cli::parse_from(arguments).command {
            Command::Run(args) => args.leader_elect,
            other => panic!("{other:?}"),
        };
        assert!(elects(&["chimera", "run"]));
        assert!(elects(&["chimera", "run", "--leader-elect"]));
        assert!(!elects(&["chimera", "run", "--leader-elect=false"]));
    }
}

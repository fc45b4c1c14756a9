//! The command lines of the processes.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result};
use serde_json::json;

use crate::certs::{Certs, FRONT_PROXY, write};
use crate::{MASTERS, POD_RANGE, SERVICE_RANGE, kubeconfig};

/// What kube-apiserver says its address is in the Endpoints of the Service `kubernetes`, where a loopback address is
/// not allowed. Nothing runs that would connect to it.
const ADVERTISED: &str = "172.18.0.2";

const STAGES: &str = include_str!("config/stages.yaml");
const AUDIT_POLICY: &str = include_str!("config/audit-policy.yaml");

/// What the command lines are made of.
pub(crate) struct Layout<'a> {
    pub(crate) dir: &'a Path,
    pub(crate) certs: &'a Certs,
    pub(crate) url: &'a str,
    pub(crate) etcd_port: u16,
    pub(crate) peer_port: u16,
    pub(crate) api_port: u16,
    pub(crate) kwok_port: u16,
    /// Where the egress proxy listens.
    pub(crate) egress: &'a Path,
    /// Whether etcd starts on data of another member.
    pub(crate) foreign_data: bool,
    /// Documents that follow our own stages of kwok.
    pub(crate) stages: &'a [String],
}

impl Layout<'_> {
    fn path(&self, name: &str) -> String {
        self.dir.join(name).display().to_string()
    }

    /// Creates the directories and files that the processes expect.
    pub(crate) fn prepare(&self) -> Result<()> {
        for name in ["logs", "kubeconfigs"] {
            fs::create_dir_all(self.dir.join(name)).with_context(|| format!("failed to create {}", self.path(name)))?;
        }
        write(&self.dir.join("audit-policy.yaml"), AUDIT_POLICY)?;
        let stages = [&[STAGES.to_owned()], self.stages].concat().join("---\n");
        write(&self.dir.join("stages.yaml"), &stages)?;
        write(&self.dir.join("egress.yaml"), &self.egress_selector())
    }

    /// What kube-apiserver calls in the cluster goes through the proxy; JSON, which is YAML as well.
    fn egress_selector(&self) -> String {
        let transport = json!({"uds": {"udsName": self.egress}});
        let connection = json!({"proxyProtocol": "HTTPConnect", "transport": transport});
        let config = json!({"apiVersion": "apiserver.k8s.io/v1beta1", "kind": "EgressSelectorConfiguration",
            "egressSelections": [{"name": "cluster", "connection": connection}]});
        config.to_string()
    }

    pub(crate) fn etcd(&self) -> Vec<String> {
        let client = format!("https://127.0.0.1:{}", self.etcd_port);
        let peer = format!("http://127.0.0.1:{}", self.peer_port);
        let mut args = vec![
            "--name=default".into(),
            format!("--data-dir={}", self.path("etcd")),
            // So that kube-apiserver never takes the etcd of another control plane for its own.
            format!("--cert-file={}", self.certs.file("server.crt")),
            format!("--key-file={}", self.certs.file("server.key")),
            format!("--listen-client-urls={client}"),
            format!("--advertise-client-urls={client}"),
            format!("--listen-peer-urls={peer}"),
            format!("--initial-advertise-peer-urls={peer}"),
            format!("--initial-cluster=default={peer}"),
            // The data need not survive the machine.
            "--unsafe-no-fsync".into(),
            "--log-level=warn".into(),
        ];
        if self.foreign_data {
            args.push("--force-new-cluster".into());
        }
        args
    }

    pub(crate) fn api_server(&self) -> Vec<String> {
        let file = |name| self.certs.file(name);
        vec![
            format!("--etcd-servers=https://127.0.0.1:{}", self.etcd_port),
            format!("--etcd-cafile={}", file("ca.crt")),
            "--bind-address=127.0.0.1".into(),
            format!("--advertise-address={ADVERTISED}"),
            format!("--secure-port={}", self.api_port),
            format!("--tls-cert-file={}", file("server.crt")),
            format!("--tls-private-key-file={}", file("server.key")),
            format!("--cert-dir={}", self.path("certs")),
            format!("--client-ca-file={}", file("ca.crt")),
            format!("--service-cluster-ip-range={SERVICE_RANGE}"),
            "--authorization-mode=Node,RBAC".into(),
            "--allow-privileged=true".into(),
            "--service-account-issuer=https://kubernetes.default.svc.cluster.local".into(),
            format!("--service-account-signing-key-file={}", file("service-accounts.key")),
            format!("--service-account-key-file={}", file("service-accounts.pub")),
            format!("--requestheader-client-ca-file={}", file("ca.crt")),
            // The same authority signs every user, who must not pass for somebody else.
            format!("--requestheader-allowed-names={FRONT_PROXY}"),
            "--requestheader-username-headers=X-Remote-User".into(),
            "--requestheader-group-headers=X-Remote-Group".into(),
            "--requestheader-extra-headers-prefix=X-Remote-Extra-".into(),
            format!("--proxy-client-cert-file={}", file("front-proxy.crt")),
            format!("--proxy-client-key-file={}", file("front-proxy.key")),
            format!("--egress-selector-config-file={}", self.path("egress.yaml")),
            format!("--audit-policy-file={}", self.path("audit-policy.yaml")),
            format!("--audit-log-path={}", self.path("audit.log")),
            "--audit-log-format=json".into(),
            // An answer that a client has is in the log.
            "--audit-log-mode=blocking".into(),
            // In MiB; no rotation.
            "--audit-log-maxsize=100000".into(),
        ]
    }

    pub(crate) fn controller_manager(&self) -> Result<Vec<String>> {
        let file = |name| self.certs.file(name);
        Ok(vec![
            format!("--kubeconfig={}", self.kubeconfig("system:kube-controller-manager", &[])?),
            "--secure-port=0".into(),
            "--leader-elect=false".into(),
            "--use-service-account-credentials=true".into(),
            format!("--service-account-private-key-file={}", file("service-accounts.key")),
            format!("--root-ca-file={}", file("ca.crt")),
            format!("--cluster-signing-cert-file={}", file("ca.crt")),
            format!("--cluster-signing-key-file={}", file("ca.key")),
            "--kube-api-qps=200".into(),
            "--kube-api-burst=400".into(),
        ])
    }

    pub(crate) fn scheduler(&self) -> Result<Vec<String>> {
        Ok(vec![
            format!("--kubeconfig={}", self.kubeconfig("system:kube-scheduler", &[])?),
            "--secure-port=0".into(),
            "--leader-elect=false".into(),
        ])
    }

    pub(crate) fn kwok(&self) -> Result<Vec<String>> {
        Ok(vec![
            format!("--kubeconfig={}", self.kubeconfig("kwok", &[MASTERS])?),
            format!("--config={}", self.path("stages.yaml")),
            "--manage-all-nodes=true".into(),
            format!("--cidr={POD_RANGE}"),
            // Else all listen at the same port.
            format!("--server-address=127.0.0.1:{}", self.kwok_port),
            // Without leases a node would become NotReady after 50 s.
            "--node-lease-duration-seconds=40".into(),
        ])
    }

    fn kubeconfig(&self, user: &str, groups: &[&str]) -> Result<String> {
        let path = self.dir.join("kubeconfigs").join(user);
        write(&path, &kubeconfig::text(self.certs, self.url, user, groups)?)?;
        Ok(path.display().to_string())
    }
}

//! How the console's web server serves its pages and passes requests for flows on to the backend.

use chimera_crds::installation::TlsMinVersion;
use k8s_openapi::api::core::v1::ConfigMap;

use crate::names::{WHISKER_BACKEND_PORT, WHISKER_NGINX_CONFIG, WHISKER_PORT};
use crate::render::pod::certificates;
use crate::render::{meta, spec};
use crate::whisker::WhiskerConfig;

/// Key of the file in the ConfigMap.
const FILE: &str = "default.conf";

/// The ConfigMap.
pub(super) fn nginx(config: &WhiskerConfig) -> ConfigMap {
    ConfigMap {
        metadata: meta::calico_system(WHISKER_NGINX_CONFIG),
        data: Some([(FILE.into(), server(config))].into()),
        ..ConfigMap::default()
    }
}

/// The web server's only virtual server.
fn server(config: &WhiskerConfig) -> String {
    let listen = listen(config);
    let (certificate, key) =
        (certificates::certificate_file(&config.key_pair), certificates::key_file(&config.key_pair));
    let (backend, protocols) = (format!("https://127.0.0.1:{WHISKER_BACKEND_PORT}"), protocols(config));
    let (pages, flows) = (PAGES, flows(&backend));
    format!(
        "server {{\n{listen}\n    ssl_certificate {certificate};\n    ssl_certificate_key {key};\n    \
         ssl_protocols {protocols};\n    server_tokens off;\n\n{pages}\n{flows}}}\n"
    )
}

/// A node whose kernel has no IPv6 refuses to listen on its addresses.
fn listen(config: &WhiskerConfig) -> String {
    let v6 = spec::has_pool(&config.installation.spec, |cidr| matches!(cidr, ipnet::IpNet::V6(_)));
    let v6 = if v6 { format!("\n    listen [::]:{WHISKER_PORT} ssl ipv6only=on;") } else { String::new() };
    format!("    listen 0.0.0.0:{WHISKER_PORT} ssl;{v6}")
}

/// At least what the Installation asks for.
fn protocols(config: &WhiskerConfig) -> &'static str {
    match config.installation.spec.tls_min_version {
        Some(TlsMinVersion::V1_3) => "TLSv1.3",
        _ => "TLSv1.2 TLSv1.3",
    }
}

/// The pages, which are one application: whatever path a browser asks for, it finds its way itself. What the container
/// works out from its environment when it starts lies beside them, for their folder is not writable.
const PAGES: &str = "    # A browser must ask whether what it has is still current.
    add_header Cache-Control \"private, no-cache, must-revalidate\" always;
    add_header Strict-Transport-Security \"max-age=31536000; includeSubDomains\" always;
    add_header X-Content-Type-Options nosniff always;
    add_header X-Frame-Options sameorigin always;

    root /usr/share/nginx/html;
    index index.html;

    location / {
        try_files $uri $uri/ /index.html;
    }

    location = /config/config.json {
        root /etc;
        default_type application/json;
    }

    error_page 500 502 503 504 /50x.html;
";

/// Requests for flows, whose answers go on as long as the browser listens.
fn flows(backend: &str) -> String {
    format!(
        "    location /whisker-backend/ {{
        # The slash takes the prefix off. The backend is in this very pod.
        proxy_pass {backend}/;
        proxy_http_version 1.1;
        proxy_set_header Connection \"\";

        # Answers are streams: nothing of them may be held back, kept or cut off.
        proxy_buffering off;
        proxy_request_buffering off;
        proxy_cache off;
        proxy_connect_timeout 60s;
        proxy_read_timeout 1d;
        proxy_send_timeout 1d;
        send_timeout 1d;
    }}
"
    )
}

//! Replacing what others trust, step by step, on a cluster that is made up: Secrets, the bundle, and how far pods are.

use super::*;

/// What a cluster holds between two reconciles.
struct Cluster {
    secrets: Secrets,
    trusted: Trusted,
    fixed: Fixed,
}

impl Cluster {
    /// One that a fresh install has left, with every pod running.
    fn installed() -> Self {
        let mut cluster = Self { secrets: Secrets::new(), trusted: Trusted::default(), fixed: Fixed::at(now()) };
        let certificates = cluster.reconcile();
        cluster.roll_out(&certificates);
        cluster
    }

    /// As apply leaves it: Secrets and bundle written, templates changed, pods not yet.
    fn reconcile(&mut self) -> Certificates {
        let (certificates, _) = establish(&self.secrets, &self.trusted, None, self.fixed.env()).unwrap();
        for pair in [&certificates.ca, &certificates.node, &certificates.typha] {
            if let Some(secret) = pair.operator_secret() {
                self.secrets.insert(pair.secret_name().into(), secret.into());
            }
        }
        let data = certificates.bundle.config_map("meadow").data.unwrap();
        self.trusted.certificates = data.get(BUNDLE_KEY).unwrap().as_str().into();
        let templates = vec![certificates.bundle.annotations(), with(&certificates.typha, &certificates.bundle)];
        let settled = self.trusted.uptake.templates == templates;
        self.trusted.uptake = Uptake { settled: settled && self.trusted.uptake.settled, templates };
        certificates
    }

    /// Every pod is replaced by one of the present template.
    fn roll_out(&mut self, _: &Certificates) {
        self.trusted.uptake.settled = true;
    }

    fn trusts(&self, authority: &str) -> bool {
        self.trusted.certificates.contains(authority)
    }
}

/// Typha's template: what it trusts, and the pair that it has to restart for.
fn with(pair: &KeyPair, bundle: &TrustedBundle) -> BTreeMap<String, String> {
    let mut annotations = bundle.annotations();
    annotations.extend([pair.hash_annotation()]);
    annotations
}

/// An authority that the user made.
fn users_authority() -> (String, Confidential) {
    let fixed = Fixed::at(now());
    // Draws other keys than an install does.
    for _ in 0..9 {
        fixed.env().randomness.key_pair().unwrap();
    }
    let ca = establish(&Secrets::new(), &Trusted::default(), None, fixed.env()).unwrap().0.ca;
    let certificate = ca.certificate_pem().unwrap().to_owned();
    let secret = plain(&certificate, &secret_key(&ca));
    (certificate, secret)
}

fn signed_by(pair: &KeyPair, authority: &str) -> bool {
    certificate::is_signed_by(pair.certificate_pem().unwrap(), authority).unwrap()
}

#[test]
fn a_replaced_authority_signs_only_after_every_pod_trusts_it_and_the_old_one_goes_last() {
    let mut cluster = Cluster::installed();
    let old = cluster.secrets.get(CA_SECRET).unwrap().text(CERTIFICATE_KEY).unwrap().to_owned();
    let (new, secret) = users_authority();
    cluster.secrets.insert(CA_SECRET.into(), secret);

    // Both are trusted, the pairs stay.
    let first = cluster.reconcile();
    assert!(cluster.trusts(&old) && cluster.trusts(&new));
    assert!(signed_by(&first.typha, &old) && signed_by(&first.node, &old));
    assert_eq!(first.ca.source(), &Source::User);
    // However often it is looked at while pods are being replaced.
    let again = cluster.reconcile();
    assert_eq!((&again.typha, again.bundle.certificates()), (&first.typha, first.bundle.certificates()));

    // Every pod trusts the new one, so pairs by it are issued; pods with the old pairs are still out there.
    cluster.roll_out(&first);
    let second = cluster.reconcile();
    assert!(signed_by(&second.typha, &new) && signed_by(&second.node, &new));
    assert!(cluster.trusts(&old));
    assert_eq!(first.bundle.annotations(), second.bundle.annotations(), "only whoever has a new pair restarts");
    assert_ne!(first.typha.hash_annotation(), second.typha.hash_annotation());
    let waiting = cluster.reconcile();
    assert_eq!(waiting.typha.certificate_pem(), second.typha.certificate_pem());
    assert!(cluster.trusts(&old));

    // Nobody has an old pair any more.
    cluster.roll_out(&waiting);
    let third = cluster.reconcile();
    assert!(!cluster.trusts(&old) && cluster.trusts(&new));
    assert_eq!(third.bundle.annotations(), second.bundle.annotations(), "no pod restarts for that");
    let last = cluster.reconcile();
    assert_eq!((last.bundle.certificates(), last.typha.source()), (third.bundle.certificates(), &Source::Kept));
}

#[test]
fn a_pair_of_a_former_authority_is_renewed_in_time_even_if_pods_never_settle() {
    let mut cluster = Cluster::installed();
    let (new, secret) = users_authority();
    cluster.secrets.insert(CA_SECRET.into(), secret);
    let first = cluster.reconcile();
    cluster.fixed = Fixed::at(facts(&first.typha).not_after - RENEW_BEFORE);
    let late = cluster.reconcile();
    assert!(signed_by(&late.typha, &new));
}

#[test]
fn without_a_bundle_that_trusts_the_old_authority_pairs_are_replaced_at_once() {
    let mut cluster = Cluster::installed();
    let (new, secret) = users_authority();
    cluster.secrets.insert(CA_SECRET.into(), secret);
    cluster.trusted = Trusted::default();
    assert!(signed_by(&cluster.reconcile().node, &new));
}

#[test]
fn what_a_user_replaces_stays_trusted_until_every_pod_has_the_new_one() {
    let mut cluster = Cluster::installed();
    let pair = |env: &Fixed| establish(&Secrets::new(), &Trusted::default(), None, env.env()).unwrap().0.typha;
    let other = Fixed::at(now());
    let (one, two) = (pair(&other), pair(&other));
    let text = |pair: &KeyPair| pair.certificate_pem().unwrap().to_owned();
    let leaf = |pair: &KeyPair| certificate::each(&text(pair)).swap_remove(0);
    cluster.secrets.insert(TYPHA_SECRET.into(), plain(&text(&one), &secret_key(&one)));
    let first = cluster.reconcile();
    cluster.roll_out(&first);
    cluster.reconcile();

    cluster.secrets.insert(TYPHA_SECRET.into(), plain(&text(&two), &secret_key(&two)));
    let second = cluster.reconcile();
    assert!(cluster.trusts(&leaf(&one)) && cluster.trusts(&leaf(&two)));
    assert_ne!(first.bundle.annotations(), second.bundle.annotations());
    cluster.roll_out(&second);
    cluster.reconcile();
    assert!(!cluster.trusts(&leaf(&one)) && cluster.trusts(&leaf(&two)));
}

#[test]
fn an_expired_authority_is_not_trusted_any_longer() {
    let mut cluster = Cluster::installed();
    let old: String = cluster.trusted.certificates.to_string();
    let (_, secret) = users_authority();
    cluster.secrets.insert(CA_SECRET.into(), secret);
    let expiry = Facts::of(&old).unwrap().not_after;
    // The user's is as old; a third one takes over.
    cluster.secrets.remove(CA_SECRET);
    cluster.fixed = Fixed::at(expiry + SignedDuration::from_secs(1));
    cluster.reconcile();
    assert!(!cluster.trusts(&old));
}

#[test]
fn renewing_a_pair_restarts_only_who_reads_it_at_start() {
    let mut cluster = Cluster::installed();
    let before = cluster.reconcile();
    cluster.fixed = Fixed::at(before.next_change(now()).unwrap());
    let after = cluster.reconcile();
    assert_eq!((after.node.source(), after.typha.source()), (&Source::Issued, &Source::Issued));
    assert_eq!(before.bundle, after.bundle, "calico-node and kube-controllers carry nothing but the bundle's hashes");
    assert_ne!(before.typha.hash_annotation(), after.typha.hash_annotation());
}

#[test]
fn the_next_look_is_when_a_pair_is_due() {
    let certificates = fresh();
    let expiry = facts(&certificates.typha).not_after;
    assert_eq!(certificates.next_change(now()), Some(expiry - RENEW_BEFORE));
    assert_eq!(certificates.next_change(expiry - RENEW_BEFORE), Some(expiry));
}

#[test]
fn text_and_roots_of_the_bundle_stay_while_they_say_the_same() {
    let mut cluster = Cluster::installed();
    let annotated = format!("# certificate name: meadow\n{}\n\n", cluster.trusted.certificates);
    cluster.trusted.certificates = annotated.as_str().into();
    cluster.trusted.roots = Some("-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n".into());
    let kept = cluster.reconcile().bundle;
    let data = kept.config_map("meadow").data.unwrap();
    assert_eq!(data.get(BUNDLE_KEY), Some(&annotated));
    assert_eq!(data.get(SYSTEM_BUNDLE_KEY).map(String::as_str), cluster.trusted.roots.as_deref());
    let system = kept.annotations().remove("hash.operator.tigera.io/system").unwrap();
    assert_eq!(Some(system), cluster.trusted.roots.as_deref().map(crate::hash::of_text));
}

#[test]
fn an_authority_of_the_user_that_expires_soon_is_reported() {
    let (certificate, secret) = users_authority();
    let secrets = Secrets::from([(CA_SECRET.into(), secret)]);
    let expiry = Facts::of(&certificate).unwrap().not_after;
    let warnings = at(expiry - SignedDuration::from_hours(24), &secrets).unwrap().1;
    assert!(
        texts(&warnings).iter().any(|text| text.contains("Secret tigera-operator/tigera-ca-private")),
        "{warnings:?}"
    );
}

//! Children that never outlive their parent, however it ends.
//!
//! Two small shells help. The *anchor* leads a process group that all children join, in which it waits for the end of
//! its standard input. The *watchdog*, in a group of its own so that Ctrl-C does not reach it, waits for the same and
//! then ends the group and removes the directory. Only the parent holds the other ends of those two pipes, and the
//! kernel closes them whatever happens to it. The group is named to the watchdog before a child joins it, so there is
//! no moment at which a child could be forgotten.

use std::fs::File;
use std::io::Write;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};

use anyhow::{Context, Result, bail};

const WATCHDOG: &str = include_str!("watchdog.sh");
const ANCHOR: &str = "trap '' INT TERM HUP QUIT; read -r _";
/// Lines of a log that go into an error.
const TAIL: usize = 15;

/// A set of child processes and the directory they work in.
pub(crate) struct Supervisor {
    dir: PathBuf,
    watchdog: Child,
    anchor: Child,
    group: i32,
    children: Vec<(String, Child)>,
}

impl Supervisor {
    /// Takes `dir` over: it is removed when the supervisor or its process ends, unless `keep`.
    pub(crate) fn new(dir: &Path, keep: bool) -> Result<Self> {
        let removed = if keep { Path::new("") } else { dir };
        let mut watchdog = shell(WATCHDOG).arg(removed).spawn().context("failed to start the watchdog shell")?;
        let anchor = shell(ANCHOR).spawn().context("failed to start the anchor shell")?;
        let group = i32::try_from(anchor.id()).context("failed to read the id of the anchor shell")?;
        let pipe = watchdog.stdin.as_mut().context("the watchdog has no standard input")?;
        writeln!(pipe, "{group}").context("failed to talk to the watchdog")?;
        Ok(Self { dir: dir.to_owned(), watchdog, anchor, group, children: Vec::new() })
    }

    /// Starts a program that logs to `logs/NAME.log` of the directory.
    pub(crate) fn spawn(&mut self, name: &str, program: &Path, args: &[String]) -> Result<()> {
        let log = File::create(self.log(name)).with_context(|| format!("failed to create the log of {name}"))?;
        let child = Command::new(program)
            .args(args)
            .current_dir(&self.dir)
            // kwok reads a configuration of the user's home directory otherwise.
            .env("HOME", &self.dir)
            .stdin(Stdio::null())
            .stdout(log.try_clone().context("failed to duplicate a file handle")?)
            .stderr(log)
            .process_group(self.group)
            .spawn()
            .with_context(|| format!("failed to start {name} ({})", program.display()))?;
        self.children.push((name.to_owned(), child));
        Ok(())
    }

    /// Fails if a child has ended, naming it and the end of its log.
    pub(crate) fn check(&mut self) -> Result<()> {
        let mut ended: Option<(String, ExitStatus)> = None;
        for (name, child) in &mut self.children {
            if let Some(status) = child.try_wait().with_context(|| format!("failed to look after {name}"))? {
                ended = Some((name.clone(), status));
                break;
            }
        }
        match ended {
            Some((name, status)) => bail!("{name} ended ({status}); its log ends with:\n{}", self.log_tail(&name)),
            None => Ok(()),
        }
    }

    /// The number of a child's process.
    pub(crate) fn pid(&self, name: &str) -> Option<u32> {
        self.children.iter().find(|(child, _)| child == name).map(|(_, child)| child.id())
    }

    fn log(&self, name: &str) -> PathBuf {
        self.dir.join("logs").join(format!("{name}.log"))
    }

    fn log_tail(&self, name: &str) -> String {
        tail(&std::fs::read_to_string(self.log(name)).unwrap_or_default())
    }

    /// The names of the children and the ends of their logs.
    pub(crate) fn log_tails(&self) -> String {
        let one = |(name, _): &(String, Child)| format!("--- {name}\n{}", self.log_tail(name));
        self.children.iter().map(one).collect::<Vec<_>>().join("\n")
    }
}

impl Drop for Supervisor {
    fn drop(&mut self) {
        for (_, child) in &mut self.children {
            let _ = child.kill();
            let _ = child.wait();
        }
        drop(self.watchdog.stdin.take());
        let _ = self.anchor.kill();
        let _ = self.anchor.wait();
        let _ = self.watchdog.wait();
    }
}

fn shell(script: &str) -> Command {
    let mut command = Command::new("/bin/sh");
    command.args(["-c", script, "chimera-kit"]).current_dir("/").process_group(0);
    command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
    command
}

pub(crate) fn tail(log: &str) -> String {
    let lines: Vec<&str> = log.lines().collect();
    lines[lines.len().saturating_sub(TAIL)..].join("\n")
}

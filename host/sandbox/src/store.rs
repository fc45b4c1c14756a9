//! The one place that makes stores: no call without every limit set.

use wasmtime::component::HasSelf;
use wasmtime::{ResourceLimiter, Store};

use crate::engine::{Runtime, ticks};
use crate::limits::{self, Limits};
use crate::log::Lines;

/// What the host keeps for one call.
pub(crate) struct HostState {
    /// What the guest logs.
    pub(crate) lines: Lines,
    /// Memory that it has and wants.
    pub(crate) memory: Memory,
}

/// How the linker reaches the state.
pub(crate) type Access = HasSelf<HostState>;

/// A store for one call.
pub(crate) fn new(runtime: &Runtime, limits: &Limits, lines: Lines) -> wasmtime::Result<Store<HostState>> {
    let memory = Memory { limit: limits.memory, used: 0, table_elements: 0, exceeded: false };
    let mut store = Store::new(&runtime.engine, HostState { lines, memory });
    store.limiter(|state| &mut state.memory);
    store.set_fuel(limits.fuel)?;
    store.set_epoch_deadline(ticks(limits.deadline));
    store.set_hostcall_fuel(limits.response);
    store.set_max_component_handles(limits::HANDLES);
    Ok(store)
}

/// Memory of a call, all memories and tables of the component together.
pub(crate) struct Memory {
    limit: usize,
    used: usize,
    table_elements: usize,
    exceeded: bool,
}

impl Memory {
    /// Whether the guest wanted more than it may have.
    pub(crate) fn exceeded(&self) -> bool {
        self.exceeded
    }

    /// Bytes that it had at most; memories do not shrink.
    pub(crate) fn used(&self) -> usize {
        self.used
    }
}

impl ResourceLimiter for Memory {
    fn memory_growing(&mut self, current: usize, desired: usize, _maximum: Option<usize>) -> wasmtime::Result<bool> {
        let used = self.used.saturating_add(desired.saturating_sub(current));
        if used > self.limit {
            self.exceeded = true;
            return Ok(false);
        }
        self.used = used;
        Ok(true)
    }

    fn table_growing(&mut self, current: usize, desired: usize, _maximum: Option<usize>) -> wasmtime::Result<bool> {
        let elements = self.table_elements.saturating_add(desired.saturating_sub(current));
        if elements > limits::TABLE_ELEMENTS {
            self.exceeded = true;
            return Ok(false);
        }
        self.table_elements = elements;
        Ok(true)
    }

    fn instances(&self) -> usize {
        limits::CORE_ITEMS
    }

    fn tables(&self) -> usize {
        limits::CORE_ITEMS
    }

    fn memories(&self) -> usize {
        limits::CORE_ITEMS
    }
}

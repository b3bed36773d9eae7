/** Children kept alive by OTP's rules: a library of its own, published as `agent-supervisor/supervision`. */
export { systemClock } from '../host/system-clock.ts';
export { systemLuck } from '../host/system-luck.ts';
export type { Backoff } from './backoff.ts';
export { link, monitor } from './bonds.ts';
export type { ChildHandle, ChildSpec, ChildType, Restart, Shutdown, StartResult } from './child.ts';
export type { DynamicSpec } from './dynamic-supervisor.ts';
export { DynamicSupervisor } from './dynamic-supervisor.ts';
export type { Exit } from './exit.ts';
export { readHistory } from './history.ts';
export { supervisorChild } from './nested.ts';
export type { RestartHistory } from './restart-book.ts';
export type { Intensity } from './restart-window.ts';
export type { Strategy } from './strategy.ts';
export type {
  AutoShutdown,
  ChildCounts,
  ChildView,
  Standing,
  SupervisionEvent,
  SupervisorEnd,
  SupervisorSpec,
} from './supervisor-spec.ts';
export type { SupervisorPorts } from './supervisor.ts';
export { Supervisor } from './supervisor.ts';

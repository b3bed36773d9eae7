/** OTP supervisors: a separate library, published as `agent-supervisor/supervision`. */
export { systemClock } from '../host/machine/system-clock.ts';
export { systemRandom } from '../host/machine/system-random.ts';
export type { Backoff } from './backoff.ts';
export { link, monitor } from './links.ts';
export type { ChildHandle, ChildSpec, ChildType, Restart, Shutdown, StartResult } from './child.ts';
export type { DynamicSpec } from './dynamic-supervisor.ts';
export { DynamicSupervisor } from './dynamic-supervisor.ts';
export type { Exit } from './exit.ts';
export { readRestartHistory } from './restart-record.ts';
export { supervisorChild } from './supervisor-child.ts';
export type { RestartHistory } from './restart-tracker.ts';
export type { Intensity } from './restart-window.ts';
export type { Strategy } from './restart-strategy.ts';
export type {
  AutoShutdown,
  ChildCounts,
  ChildView,
  ChildStatus,
  SupervisionEvent,
  SupervisorEnd,
  SupervisorSpec,
} from './supervisor-spec.ts';
export type { SupervisorPorts } from './supervisor.ts';
export { Supervisor } from './supervisor.ts';

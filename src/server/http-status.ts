import type { RefusalCode } from '../base/errors.ts';

/** One status a code: whoever adds a code decides here what it means over HTTP. */
const STATUS = {
  'agent.unknown': 400,
  'child.already-present': 409,
  'child.already-started': 409,
  'child.invalid': 400,
  'child.not-found': 404,
  'child.not-running': 409,
  'child.restarting': 409,
  'child.running': 409,
  'child.start-failed': 503,
  'child.unstopped': 503,
  'config.invalid': 400,
  'config.unreadable': 400,
  'owner.already-running': 409,
  'owner.closing': 503,
  'owner.unreachable': 503,
  'owner.version-differs': 409,
  'request.invalid': 400,
  'run.already-ended': 409,
  'run.not-found': 404,
  'run.not-ended': 409,
  'store.closed': 503,
  'store.conflict': 409,
  'store.damaged': 503,
  'store.full': 507,
  'store.newer-schema': 503,
  'store.unreadable': 503,
  'supervisor.busy': 503,
  'supervisor.ended': 409,
  'supervisor.invalid': 400,
  'supervisor.start-failed': 503,
  'usage.invalid': 400,
} as const satisfies Record<RefusalCode, number>;

export function httpStatus<Code extends RefusalCode>(code: Code): (typeof STATUS)[Code] {
  return STATUS[code];
}

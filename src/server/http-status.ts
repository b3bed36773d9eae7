import type { RefusalCode } from '../base/errors.ts';

/** One status a code: whoever adds a code decides here what it means over HTTP. */
const STATUS = {
  'agent.unknown': 400,
  'config.invalid': 400,
  'config.unreadable': 400,
  'context.too-large': 400,
  'context.unavailable': 400,
  'context.unknown-target': 400,
  'owner.already-running': 409,
  'owner.closing': 503,
  'owner.unreachable': 503,
  'owner.version-differs': 409,
  'request.invalid': 400,
  'role.invalid': 400,
  'role.not-found': 404,
  'run.already-ended': 409,
  'run.not-found': 404,
  'run.not-ended': 409,
  'store.closed': 503,
  'store.conflict': 409,
  'store.damaged': 503,
  'store.full': 507,
  'store.newer-schema': 503,
  'store.unreadable': 503,
  'strategy.invalid': 400,
  'strategy.not-found': 404,
  'template.invalid': 400,
  'template.not-found': 404,
  'usage.invalid': 400,
} as const satisfies Record<RefusalCode, number>;

export function httpStatus<Code extends RefusalCode>(code: Code): (typeof STATUS)[Code] {
  return STATUS[code];
}

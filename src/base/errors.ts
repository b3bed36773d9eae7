/**
 * Work ends through three channels that are never mixed. An *outcome* is a stored value that says
 * how work went. A *refusal* (this file) says that a request cannot be fulfilled. A *defect* is any
 * other throw: our bug or a broken machine. Only the loop that owns the damage catches it.
 */

/** The codes that a caller can branch on. Adding a code changes the API; rewording a message does not. */
export const REFUSAL_CODES = [
  'agent.ambiguous',
  'agent.down',
  'agent.ended',
  'agent.grant-too-wide',
  'agent.keys-missing',
  'agent.name-taken',
  'agent.no-key',
  'agent.not-found',
  'agent.preflight-failed',
  'agent.secrets-unusable',
  'agent.too-many',
  'agent.unavailable',
  'agent.unknown',
  'api.forbidden',
  'api.port-taken',
  'api.too-many-requests',
  'api.unauthorized',
  'approval.not-allowed',
  'approval.not-edited',
  'approval.work-moved',
  'approver.locked',
  'approver.name-taken',
  'approver.not-found',
  'approver.unreadable',
  'approver.wrong-secret',
  'breaker.not-found',
  'child.already-present',
  'child.already-started',
  'child.invalid',
  'child.not-found',
  'child.not-running',
  'child.restarting',
  'child.running',
  'child.start-failed',
  'child.unstopped',
  'config.busy',
  'config.invalid',
  'config.unreadable',
  'context.too-large',
  'context.unavailable',
  'context.unknown-target',
  'cooldown.not-found',
  'feature.invalid',
  'gate.missing',
  'gateway.failed',
  'gateway.insecure-upstream',
  'home.not-private',
  'home.unusable',
  'machine.fault',
  'owner.already-running',
  'owner.closing',
  'owner.home-lost',
  'owner.superseded',
  'owner.unreachable',
  'owner.version-differs',
  'pack.changed',
  'pack.invalid',
  'pack.not-found',
  'pack.unavailable',
  'project.untrusted',
  'request.invalid',
  'request.key-reused',
  'request.outcome-unknown',
  'role.invalid',
  'role.not-found',
  'run.already-ended',
  'run.ambiguous',
  'run.asks',
  'run.asks-nothing',
  'run.no-next-agent',
  'run.not-ended',
  'run.not-found',
  'run.taken-over',
  'sandbox.file-hidden',
  'sandbox.policy-refused',
  'sandbox.unavailable',
  'schedule.name-taken',
  'schedule.not-found',
  'schedule.too-many',
  'setup.missing',
  'setup.unavailable',
  'step.not-found',
  'store.closed',
  'store.conflict',
  'store.damaged',
  'store.full',
  'store.in-use',
  'store.not-empty',
  'store.other-home',
  'store.other-journal',
  'store.unavailable',
  'store.unknown-version',
  'store.unreadable',
  'strategy.invalid',
  'strategy.not-found',
  'supervisor.busy',
  'supervisor.ended',
  'supervisor.invalid',
  'supervisor.start-failed',
  'template.invalid',
  'template.not-found',
  'usage.invalid',
  'workflow.invalid',
  'workflow.not-found',
  'workspace.branch-exists',
  'workspace.busy',
  'workspace.changed-meanwhile',
  'workspace.conflict',
  'workspace.git-failed',
  'workspace.interrupted',
  'workspace.needs-approval',
  'workspace.not-committable',
  'workspace.not-found',
  'workspace.not-undoable',
  'workspace.run-failed',
  'workspace.too-large',
  'workspace.unsafe-change',
  'workspace.unsafe-grant',
  'workspace.unsupported',
] as const;
export type RefusalCode = (typeof REFUSAL_CODES)[number];

/** The form between processes: HTTP bodies, SSE frames, `--json` output. */
export type RefusalData = {
  readonly code: RefusalCode;
  readonly message: string;
  /** What the caller can do next, in one imperative sentence. */
  readonly hint?: string;
  readonly details?: Readonly<Record<string, string | number | boolean>>;
};

export class Refusal extends Error {
  override readonly name = 'Refusal';
  readonly data: RefusalData;

  constructor(data: RefusalData, options?: ErrorOptions) {
    super(data.message, options);
    this.data = data;
  }
}

export function isRefusal(error: unknown, code?: RefusalCode): error is Refusal {
  return error instanceof Refusal && (code === undefined || error.data.code === code);
}

const CAUSES_MAX = 10;

/** One line about any thrown value, for a log or a record. Never throws. */
export function describeError(error: unknown): string {
  return describe(error, CAUSES_MAX);
}

function describe(error: unknown, causesLeft: number): string {
  try {
    if (!(error instanceof Error)) return String(error);
    const hasCause = error.cause !== undefined && causesLeft > 0;
    const cause = hasCause ? ` (because: ${describe(error.cause, causesLeft - 1)})` : '';
    return `${error.name}: ${error.message}${cause}`;
  } catch {
    return 'an error that cannot be described'; // such as an object without a prototype
  }
}

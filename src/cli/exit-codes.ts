/**
 * The exit codes of the program, and the one rule that leads from an error to its exit code. The exit code of a run
 * follows from its outcome.
 */
import type { RefusalCode } from '../base/errors.ts';
import type { ErrorCode, ResultCode } from '../protocol/error-codes.ts';
export { exitCodeOf } from '../protocol/exit-code.ts';

export const EXIT = {
  ok: 0,
  /** The command is right, and it could not be done: because of the state of runs and agents, or of this machine. */
  failed: 1,
  /** The command or a file that it reads is wrong, whatever the state: a flag, a value, a name that does not exist. */
  usage: 2,
  /** The command is right, and it needs a proof or the approval of a person first. */
  unproven: 3,
  defect: 70,
  /** The owner died before it answered, so it is unknown whether the command took effect. */
  unknown: 75,
  /** A wait was longer than it may be, as with `timeout`. */
  timeout: 124,
  interrupted: 130,
  killed: 137,
  /** SIGTERM ended a command that only watched. */
  terminated: 143,
} as const;

/** As a shell reports a program that this signal has ended. */
export const EXIT_BY_SIGNAL = { SIGINT: EXIT.interrupted, SIGTERM: EXIT.terminated } as const;

type ExitCode = (typeof EXIT)[keyof typeof EXIT];

const { failed, usage, unproven } = EXIT;

/** A new code does not compile without an entry here. */
const EXIT_OF = {
  'agent.ambiguous': usage,
  'agent.differs': failed,
  'agent.down': failed,
  'agent.ended': failed,
  'agent.grant-too-wide': usage,
  'agent.keys-missing': failed,
  'agent.name-taken': failed,
  'agent.no-key': failed,
  'agent.not-found': usage,
  'agent.preflight-failed': failed,
  'agent.secrets-unusable': usage,
  'agent.too-many': failed,
  'agent.unavailable': failed,
  'agent.unknown': usage,
  'api.forbidden': failed,
  'api.port-taken': failed,
  'api.too-many-requests': failed,
  'api.unauthorized': failed,
  'apply.gate-files-changed': unproven,
  'apply.gate-unprotected': unproven,
  'apply.run-failed': failed,
  'apply.unverified': unproven,
  'approval.missing': unproven,
  'approval.not-allowed': unproven,
  'approval.not-edited': failed,
  'approval.work-moved': unproven,
  'approver.locked': unproven,
  'approver.name-taken': failed,
  'approver.not-found': usage,
  'approver.unreadable': failed,
  'approver.wrong-secret': unproven,
  'breaker.not-found': failed, // the step exists, and its breaker is closed
  'child.already-present': failed,
  'child.already-started': failed,
  'child.invalid': usage,
  'child.not-found': usage,
  'child.not-running': failed,
  'child.restarting': failed,
  'child.running': failed,
  'child.start-failed': failed,
  'child.unstopped': failed,
  'command.interrupted': EXIT.interrupted,
  'config.busy': failed,
  'config.invalid': usage,
  'config.unreadable': usage,
  'context.too-large': usage,
  'context.unavailable': failed,
  'context.unknown-target': usage,
  'cooldown.not-found': failed, // the agent exists, and is not cooling down now
  'gate.failed': unproven,
  'gate.missing': unproven,
  'gate.unable': unproven,
  'feature.invalid': usage,
  'gateway.failed': failed,
  'gateway.insecure-upstream': usage,
  'home.not-private': failed,
  'home.unusable': usage,
  'internal.defect': EXIT.defect,
  'machine.fault': failed,
  'machine.not-ready': failed,
  'owner.already-running': failed,
  'owner.closing': failed,
  'owner.gave-up': failed,
  'owner.home-lost': failed,
  'owner.unreachable': failed,
  'owner.version-differs': failed,
  'plan.missing': failed,
  'price.unknown': failed,
  'project.untrusted': unproven,
  'request.invalid': usage,
  'request.key-reused': usage,
  'request.outcome-unknown': EXIT.unknown,
  'role.invalid': usage,
  'pack.changed': failed,
  'pack.invalid': usage,
  'pack.not-found': usage,
  'pack.unavailable': failed,
  'role.not-found': usage,
  'run.already-ended': failed,
  'run.ambiguous': usage,
  'run.asks-nothing': failed,
  'run.no-next-agent': failed,
  'run.blocked': failed,
  'run.cancelled': EXIT.interrupted,
  'run.exhausted': failed,
  'run.failed': failed,
  'run.killed': EXIT.killed,
  'run.not-ended': failed,
  'run.not-found': usage,
  'run.refused': failed,
  'run.unproven': unproven,
  'sandbox.not-proven': failed,
  'sandbox.policy-refused': usage,
  'sandbox.file-hidden': usage,
  'sandbox.unavailable': failed,
  'schedule.name-taken': failed,
  'schedule.not-found': usage,
  'schedule.too-many': failed,
  'setup.failed': unproven,
  'setup.missing': usage,
  'setup.unavailable': failed,
  'step.not-found': usage,
  'store.closed': failed,
  'store.conflict': failed,
  'store.damaged': failed,
  'store.full': failed,
  'store.unknown-version': failed,
  'store.unreadable': failed,
  'strategy.invalid': usage,
  'strategy.not-found': usage,
  'supervisor.busy': failed,
  'supervisor.ended': failed,
  'supervisor.invalid': usage,
  'supervisor.start-failed': failed,
  'template.invalid': usage,
  'template.not-found': usage,
  'usage.invalid': usage,
  'wait.asked': unproven,
  'wait.timeout': EXIT.timeout,
  'workflow.invalid': usage,
  'workflow.not-found': usage,
  'workspace.branch-exists': failed,
  'workspace.busy': failed,
  'workspace.changed-meanwhile': failed,
  'workspace.conflict': failed,
  'workspace.git-failed': failed,
  'workspace.interrupted': failed,
  'workspace.needs-approval': unproven,
  'workspace.not-committable': failed,
  'workspace.not-deleted': failed,
  'workspace.not-found': failed, // the run exists, and has no work
  'workspace.not-undoable': failed,
  'workspace.run-failed': unproven,
  'workspace.too-large': failed,
  'workspace.unsafe-change': failed,
  'workspace.unsafe-grant': usage,
  'workspace.unsupported': usage,
} as const satisfies Record<RefusalCode | ResultCode, ExitCode>;

/** The exit code of a command that ends with this error. Attempts of agents that failed are failures. */
export function exitCodeFor(code: ErrorCode): ExitCode {
  return Object.hasOwn(EXIT_OF, code) ? EXIT_OF[code as keyof typeof EXIT_OF] : failed;
}

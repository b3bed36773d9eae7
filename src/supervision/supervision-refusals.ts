import type { RefusalCode } from '../base/errors.ts';
import { Refusal } from '../base/errors.ts';

type ChildCode = Extract<RefusalCode, `child.${string}`>;

const CHILD: Readonly<Record<ChildCode, (id: string) => readonly [message: string, hint: string]>> =
  {
    'child.already-started': (id) => [
      `The child ${id} is running already.`,
      'Use another id, or terminate and delete that child first.',
    ],
    'child.already-present': (id) => [
      `The child ${id} exists already and is not running.`,
      'Restart it, or delete it first.',
    ],
    'child.invalid': (id) => [`The spec of the child ${id} is invalid.`, 'Fix the spec.'],
    'child.not-found': (id) => [
      `There is no child ${id}.`,
      'List the children with whichChildren().',
    ],
    'child.not-running': (id) => [`The child ${id} is not running.`, 'Restart it first.'],
    'child.restarting': (id) => [
      `The child ${id} is being restarted.`,
      'Terminate it first, or wait until it is up.',
    ],
    'child.running': (id) => [`The child ${id} is running.`, 'Terminate it first.'],
    'child.start-failed': (id) => [
      `The child ${id} could not be started.`,
      'Fix the reason, and try again.',
    ],
    'child.unstopped': (id) => [
      `The child ${id} was killed and still runs.`,
      'Find out what keeps it alive. It is not started again until it has exited.',
    ],
  };

export function refuseChild(code: ChildCode, id: string, why?: string): Refusal {
  const [message, hint] = CHILD[code](id);
  return new Refusal({ code, message, hint, details: { id, ...(why !== undefined && { why }) } });
}

export function refuseSpec(why: string): Refusal {
  return new Refusal({
    code: 'supervisor.invalid',
    message: `The spec of the supervisor is invalid: ${why}.`,
    hint: 'Fix the spec.',
  });
}

export function refuseStart(id: string, why: string): Refusal {
  return new Refusal({
    code: 'supervisor.start-failed',
    message: `The supervisor did not start because its child ${id} did not: ${why}.`,
    hint: 'Fix the reason, and start it again.',
    details: { id, why },
  });
}

export function refuseEnded(): Refusal {
  return new Refusal({
    code: 'supervisor.ended',
    message: 'This supervisor has ended.',
    hint: 'Start another one.',
  });
}

export function refuseBusy(): Refusal {
  return new Refusal({
    code: 'supervisor.busy',
    message: 'Too many calls are waiting for this supervisor.',
    hint: 'Try again later, with fewer calls at once.',
  });
}

import type { RefusalCode } from '../base/errors.ts';
import { Refusal } from '../base/errors.ts';

type ChildCode = Extract<RefusalCode, `child.${string}`>;

const CHILD: Readonly<Record<ChildCode, (id: string) => readonly [message: string, hint: string]>> =
  {
    'child.already-started': (id) => [
      `The child ${id} is running already.`,
      'Take another id, or terminate and delete that child first.',
    ],
    'child.already-present': (id) => [
      `There is a child ${id} already, which is not running.`,
      'Restart it, or delete it first.',
    ],
    'child.invalid': (id) => [`The spec of the child ${id} is not sound.`, 'Mend the spec.'],
    'child.not-found': (id) => [`There is no child ${id}.`, 'Look at the list of children.'],
    'child.not-running': (id) => [`The child ${id} is not running.`, 'Restart it first.'],
    'child.restarting': (id) => [
      `The child ${id} is being restarted.`,
      'Terminate it first, or wait until it is up.',
    ],
    'child.running': (id) => [`The child ${id} is running.`, 'Terminate it first.'],
    'child.start-failed': (id) => [
      `The child ${id} could not be started.`,
      'See the reason, mend it, and ask again.',
    ],
    'child.unstopped': (id) => [
      `The child ${id} was killed and is still there.`,
      'Find out what holds it; it is not started again before it is gone.',
    ],
  };

export function refuseChild(code: ChildCode, id: string, why?: string): Refusal {
  const [message, hint] = CHILD[code](id);
  return new Refusal({ code, message, hint, details: { id, ...(why !== undefined && { why }) } });
}

export function refuseSpec(why: string): Refusal {
  return new Refusal({
    code: 'supervisor.invalid',
    message: `The spec of the supervisor is not sound: ${why}.`,
    hint: 'Mend the spec.',
  });
}

export function refuseStart(id: string, why: string): Refusal {
  return new Refusal({
    code: 'supervisor.start-failed',
    message: `The supervisor did not start, since its child ${id} did not: ${why}.`,
    hint: 'See the reason, mend it, and start again.',
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
    message: 'Too many calls wait for this supervisor.',
    hint: 'Ask again later, and ask less at once.',
  });
}

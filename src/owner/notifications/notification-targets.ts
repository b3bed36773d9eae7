/** What is news about a run, and who hears of it: the address of the run, and notifiers of the user's settings. */
import { defined } from '../../base/defined.ts';
import type { RunId } from '../../base/ids.ts';
import type { Payload, StoredEvent } from '../../protocol/event.ts';
import type { Submission } from '../../protocol/run-submission.ts';
import type { NotifiedEvent, NotifierChannel } from '../../settings/notification-config.ts';
import type { NotifyAddress } from './deliver-notification.ts';

export type Notifier = {
  readonly name: string;
  readonly events: readonly NotifiedEvent[];
  readonly via: NotifierChannel;
};

export type NotificationTarget =
  /** The command or URL of `--notify`. */
  | ({ readonly kind: 'address' } & NotifyAddress)
  | { readonly kind: 'notifier'; readonly notifier: Notifier };

/** A fact that people may want to hear of. */
export type News = {
  readonly run: RunId;
  readonly seq: number;
  readonly at: number;
  readonly event: NotifiedEvent;
};

/** The run that the news is about. */
export type NewsSource = {
  /** Undefined: the run names none. */
  readonly address: NotifyAddress | undefined;
  /** The end waits for the command that submitted the run. */
  readonly concludes: boolean;
  /** Another run has started it, such as a workflow its steps. Null: a person has. */
  readonly parent: string | null;
};

export function newsSource({
  notify,
  signs,
  concludes,
  parent,
}: Pick<Submission, 'notify' | 'signs' | 'concludes' | 'parent'>): NewsSource {
  const address = notify === undefined ? undefined : { notify, signs: signs === true };
  return { address, concludes: concludes === true, parent: parent?.run ?? null };
}

export function newsOf(run: RunId, event: StoredEvent): News | undefined {
  const found = notifiedEvent(event);
  return found === undefined ? undefined : { run, seq: event.seq, at: event.at, event: found };
}

function notifiedEvent(event: StoredEvent): NotifiedEvent | undefined {
  if (event.type === 'run.ended') return 'ended';
  if (event.type === 'command.noted') return notifiedNote(event.payload.note);
  if (event.type !== 'command.begun' || event.payload.command !== 'ask') return undefined;
  return event.payload.input.approval === undefined ? 'asks' : 'approval';
}

function notifiedNote(note: Payload<'command.noted'>['note']): NotifiedEvent | undefined {
  if (note.kind === 'login-expires') return 'login';
  return note.kind === 'anomaly' && note.decision === 'paused' ? 'paused' : undefined;
}

/** The address of a run gets all of its news. The end of a step of a workflow is no news to a notifier. */
export function targetsOf(
  { address, parent }: NewsSource,
  event: NotifiedEvent,
  notifiers: readonly Notifier[],
): readonly NotificationTarget[] {
  const told = notifiers.filter(
    ({ events }) => events.includes(event) && !(parent !== null && event === 'ended'),
  );
  return [
    ...(address === undefined ? [] : [{ kind: 'address', ...address } as const]),
    ...told.map((notifier) => ({ kind: 'notifier', notifier }) as const),
  ];
}

export function nameOf(target: NotificationTarget): { readonly to?: string } {
  return defined({ to: target.kind === 'notifier' ? target.notifier.name : undefined });
}

/** Receivers see an approval as a question. */
export function aboutOf(event: NotifiedEvent): Payload<'notification.begun'>['about'] {
  return event === 'approval' ? 'asks' : event;
}

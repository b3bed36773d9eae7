/** The state of a run as a sign, with its word for those who don't see the sign. */
import type { ReactNode } from 'react';
import type { RunStatus } from '../../../src/protocol/views/run-status.ts';

type Look = 'needs' | 'working' | 'waiting' | 'good' | 'unproven' | 'bad' | 'stopped';

const SIGNS: Readonly<Record<Look, string>> = {
  needs: '◆',
  working: '●',
  waiting: '◌',
  good: '✔',
  unproven: '○',
  bad: '✖',
  stopped: '■',
};

const LOOKS: Readonly<Record<RunStatus, Look>> = {
  queued: 'waiting',
  preparing: 'working',
  running: 'working',
  taken_over: 'working',
  retrying: 'waiting',
  cooling: 'waiting',
  verifying: 'working',
  finalizing: 'working',
  waiting: 'waiting',
  awaiting_input: 'needs',
  summoned: 'waiting',
  parked: 'waiting',
  stopping: 'stopped',
  paused: 'stopped',
  succeeded: 'good',
  unverified: 'unproven',
  failed: 'bad',
  refused: 'bad',
  cancelled: 'stopped',
  killed: 'stopped',
  exhausted: 'bad',
  blocked: 'bad',
};

export function StateMark({ status }: { readonly status: RunStatus }): ReactNode {
  const look = LOOKS[status];
  const word = status.replaceAll('_', ' ');
  return (
    <span className={`state ${look}`} title={word}>
      <span aria-hidden="true">{SIGNS[look]}</span>
      <span className="word">{word}</span>
    </span>
  );
}

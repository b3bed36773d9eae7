/** A view of a run for tests: it has been submitted, and nothing more. */
import { at } from '../../src/base/clock.ts';
import { EVENT_VERSION } from '../../src/protocol/event.ts';
import { runStream } from '../../src/protocol/streams.ts';
import type { RunView } from '../../src/protocol/views/run-view.ts';
import { foldRunView } from '../../src/protocol/views/run-view.ts';
import { runEvent } from './run-event.ts';

export function runViewFixture(more: Partial<RunView> = {}): RunView {
  const view = foldRunView(undefined, {
    id: 1,
    stream: runStream('3f2a91c04b'),
    seq: 1,
    v: EVENT_VERSION,
    at: at(0),
    ...runEvent({
      type: 'run.submitted',
      payload: {
        program: 'attempts',
        task: 'Fix the login form',
        project: '/home/me/shop',
        settings: {},
      },
    }),
  });
  if (view === undefined) throw new Error('a submitted run has a view');
  return { ...view, ...more };
}

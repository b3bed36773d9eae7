import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Client } from '../../../client/client.ts';
import type { RunEvent } from '../../../protocol/event.ts';
import type { FeatureView } from '../../../protocol/views/feature-view.ts';
import type { OpenQuestion } from '../../../protocol/views/open-question.ts';
import { FeatureRunDocument } from '../../../public-json/feature-documents.ts';
import { ManualClock } from '../../../testing/fakes/manual-clock.ts';
import { submitted } from '../../../../test/support/run-history-fixture.ts';
import type { CliContext, InterruptSignal } from '../../cli-context.ts';
import { watchFeature } from './start-feature.ts';

const RUN = '0123456789';
const VIEW: FeatureView = {
  ...{ run: RUN, feature: 'P1T1', title: 'Tea', branch: 'ai/tea', capacity: 1 },
  ...{
    state: 'in_progress',
    phases: [],
    landed: [],
    queue: [],
    projects: [],
    conflicts: [],
    rest: null,
  },
  ...{ held: { all: false, components: [] }, paused: false, outcome: null },
};
const ASKED: OpenQuestion = {
  ...{ run: 'aaaaaaaaaa', key: 'ask-1', task: 'x', project: '/p', question: 'Which port?' },
  ...{ choices: [], since: 0, over: null, parent: 'bbbbbbbbbb', root: RUN },
  part: 'component body, step plan',
};

/** The command is left when it has shown the question of the component. */
async function leave(by: InterruptSignal): Promise<{ code: number; out: string; err: string }> {
  const said = { out: '', err: '' };
  const asked = Promise.withResolvers<undefined>();
  const context = {
    clock: new ManualClock(),
    terminal: { isTty: false, hasColour: false, width: 80 },
    out: (text: string) => void (said.out += text),
    err: (text: string) => {
      said.err += text;
      if (text.includes('Which port?')) asked.resolve(undefined);
    },
    onInterrupt: (listener: (signal: InterruptSignal) => void) => {
      void asked.promise.then(() => listener(by));
      return () => {};
    },
  } as unknown as CliContext;
  const client = {
    feature: async () => VIEW,
    async *followRun(_: string, __: number, signal: AbortSignal): AsyncGenerator<RunEvent> {
      const head = { id: 1, stream: `run/${RUN}`, seq: 1, at: 0, v: 1 };
      yield { ...head, ...submitted() };
      await new Promise((resolve) => signal.addEventListener('abort', resolve));
    },
    async *followQuestions(): AsyncGenerator<readonly OpenQuestion[]> {
      yield [ASKED];
    },
  } as unknown as Client;
  const code = await watchFeature(context, client, RUN, true);
  return { code, ...said };
}

describe('feature start --json', () => {
  for (const [by, expected] of [
    ['SIGTERM', 143],
    ['SIGINT', 130],
  ] as const)
    test(`that ${by} ends prints how far the feature is, and that it continues`, async () => {
      const { code, out } = await leave(by);
      const { run_id: run, error } = FeatureRunDocument.parse(JSON.parse(out));
      assert.deepEqual([code, run, error?.code], [expected, RUN, 'command.interrupted']);
    });

  test('says on standard error what a component asks, and how the run goes', async () => {
    const { err } = await leave('SIGINT');
    assert.match(err, /^Run 0123456789: queued\n/m);
    assert.match(
      err,
      /^Run 0123456789 \(component body, step plan, run aaaaaaaaaa\) asks: Which port\?\n/m,
    );
    assert.match(err, /supervisor answer aaaaaaaaaa "…"/);
  });
});

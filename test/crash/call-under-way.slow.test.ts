/**
 * An owner that dies during a model call of its agent: the money may be spent, so it counts as
 * spent.
 */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { which } from '../../src/host/process/which.ts';
import { InboxDocument } from '../../src/public-json/reading-documents.ts';
import { eventually } from '../support/eventually.ts';
import { serve } from '../support/gateway-harness.ts';
import { questionOn } from '../../src/testing/model-server/ask-model.ts';
import { CliHarness } from '../e2e/cli-process-harness.ts';

const missing = ['bwrap', 'curl'].filter((name) => which(name, process.env) === undefined);
const skip =
  missing.length > 0 && process.env['CI'] === undefined ? `missing: ${missing.join(', ')}` : false;
const WITHIN_MS = 120_000;

const { path, body } = questionOn('openai-chat', 'hello');
/** Calls a model that never answers. */
const SCRIPT = `curl -s "$\{OPENAI_BASE_URL%/v1}${path}" -H 'content-type: application/json' \
  -H "authorization: Bearer $OPENAI_API_KEY" -d '${JSON.stringify(body)}'; sleep 600`;

function configOf(budget: object): string {
  const agents = [{ id: 'mine', cli: 'custom', command: ['bash', '--norc', '-c', SCRIPT] }];
  return JSON.stringify({ agents, budget, sandbox: { backend: 'bubblewrap' } });
}

async function begin(harness: CliHarness, url: string): Promise<string> {
  const env = { OPENAI_API_KEY: 'sk-test-0123456789', OPENAI_BASE_URL: `${url}/v1` };
  // The next owner needs the keys as well.
  Object.assign(process.env, env);
  const { stdout, stderr } = await harness.run(['run', 'x', '--agent', 'mine', '--detach']);
  assert.match(stdout, /^[0-9a-f]{10}\n$/, stderr);
  return stdout.trim();
}

describe('a model call that is running when the owner is killed', { skip }, () => {
  test(
    'counts with its maximum cost, and no budget is spent twice',
    { timeout: 600_000 },
    async () => {
      let asked = 0;
      await using provider = await serve(() => (asked += 1)); // it never answers
      await using harness = await CliHarness.create(configOf({ calls: 2 }));
      const run = await begin(harness, provider.url);
      for (const calls of [1, 2]) {
        await eventually(
          `call ${calls} has reached the provider`,
          () => asked === calls,
          WITHIN_MS,
        );
        await harness.killOwner();
        await harness.runs(run); // the next owner resumes it
      }
      const isAsking = async (): Promise<boolean> =>
        (await harness.stateOf(run)) === 'awaiting_input';
      await eventually('the budget is spent, and it asks', isAsking, WITHIN_MS);
      assert.equal(asked, 2);
      const usage = (await harness.runs(run))[0]?.usage;
      assert.equal(usage?.model_calls, 2);
      assert.ok(
        Number(usage.total_tokens) > 0 && Number(usage.cost_usd) > 0,
        JSON.stringify(usage),
      );
      const { questions } = await harness.json(InboxDocument, ['inbox']);
      const budget = questions[0]?.budget;
      assert.deepEqual([budget?.scope, budget?.limit], ['run', 'calls']);
      const shown = await harness.run(['status', run]);
      assert.match(
        shown.stdout,
        /of that .* 2 calls at most, in calls that were cut off when the owner died/,
      );
      await harness.run(['stop', run]);
    },
  );
});

/**
 * A planner that a person sends back continues its conversation, in the run of another step: with real CLIs in
 * sandboxes, on the strict model server. If the home with the conversation is gone, the planner begins a new one.
 */
import assert from 'node:assert/strict';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import type { ScriptFunction } from '../../src/testing/model-server/model-script.ts';
import { ModelServer } from '../../src/testing/model-server/model-server.ts';
import { eventually } from '../support/eventually.ts';
import { CLIS, harnessFor, isMissing } from './sandboxed-clis.ts';
import type { SandboxedHarness } from './sandboxed-harness.ts';
import { SECRET } from './sandboxed-harness.ts';
import { runsOf } from './workflow-harness.ts';
import { saying } from './workflow-models.ts';

const WITHIN_MS = 300_000;
/** Only the model's first plan has it, so only a conversation that continues contains it. */
const WORD = 'marzipan';
const WORKFLOW = `
steps:
  plan: { role: planner, next: look }
  look: { kind: human, on_reject: plan }
settings: { continuity: { max_continuation_turns: 3 } }
`;

type Turn = { readonly isContinued: boolean; readonly remembers: boolean };

/** Plans, and names the word unless the conversation has a comment. `turns` gets one entry for each plan. */
function planning(turns: Map<string, Turn>): ScriptFunction {
  return ({ wire, kind, units }) => {
    if (kind === 'side') return undefined;
    const text = JSON.stringify(units);
    const comment = ['SMALLER', 'SAFER'].findLast((one) => text.includes(one)) ?? 'first';
    const turn = {
      isContinued: text.includes('You continue this conversation'),
      remembers: text.includes(WORD),
    };
    if (!turns.has(comment)) turns.set(comment, turn);
    const risks = comment === 'first' ? [WORD] : [];
    return saying(wire, {
      ...{ status: 'COMPLETE', phases: [], dependencies: [], estimated_components: 0, risks },
    });
  };
}

async function asksAgain(at: SandboxedHarness, run: string, visit: number): Promise<void> {
  const isAsked = async (): Promise<boolean> => {
    const { open, outcome } = await at.client.run(run);
    assert.equal(outcome, null, outcome?.reason);
    return open.some(({ key }) => key === `ask-look-${visit}`);
  };
  await eventually(`question ${visit} of run ${run}`, isAsked, WITHIN_MS);
}

describe('a planner that is sent back', { timeout: 1_200_000 }, () => {
  for (const cli of CLIS)
    test(`continues its conversation of ${cli}, and begins a new one without it`, async (t) => {
      if (isMissing(t, cli)) return;
      const turns = new Map<string, Turn>();
      await using server = await ModelServer.start({ keys: [SECRET], script: planning(turns) });
      await using at = await harnessFor([cli], server.url, {
        config: { sandbox: { backend: 'bubblewrap' } },
      });
      for (const folder of ['roles', 'workflows']) await mkdir(join(at.home, folder));
      const role = `extends: planner\ncli: ${cli}\n`;
      await writeFile(join(at.home, 'roles', 'planner.yaml'), role);
      await writeFile(join(at.home, 'workflows', 'ponder.yaml'), WORKFLOW);
      const { client, project } = at;
      const { id } = await client.submit({ task: 'Plan it.', project, workflow: 'ponder' });
      await asksAgain(at, id, 1);
      assert.doesNotMatch(await at.type('comment', id, 'Make it SMALLER.'), /^error/m);
      await asksAgain(at, id, 2);
      await rm(join(at.home, 'homes'), { recursive: true });
      assert.doesNotMatch(await at.type('comment', id, 'Make it SAFER.'), /^error/m);
      await asksAgain(at, id, 3);
      assert.doesNotMatch(await at.type('approve', id), /^error/m);
      const facts = await at.factsOf(id);
      assert.deepEqual(Object.fromEntries(turns), {
        first: { isContinued: false, remembers: false },
        SMALLER: { isContinued: true, remembers: true },
        SAFER: { isContinued: false, remembers: false },
      });
      const attempts = await Promise.all(
        runsOf(facts, '').map(async (run) =>
          (await at.factsOf(run)).filter(
            ({ type, payload }) => type === 'command.ended' && payload.command === 'attempt',
          ),
        ),
      );
      // No CLI was asked for a conversation that it does not have.
      assert.deepEqual(
        attempts.map(({ length }) => length),
        [1, 1, 1],
      );
    });
});

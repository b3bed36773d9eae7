/**
 * The acceptance tests of the radio check, word for word, in the mode `steer`. Everything is real but the model: the
 * owner, the sandbox and the gateway. The journal of the model server shows what the model was told.
 */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { which } from '../../src/host/process/which.ts';
import { messageMark } from '../../src/messages/message-text.ts';
import type { ToolCall } from '../../src/testing/model-server/model-wire.ts';
import type { SteeredAgentOptions } from '../support/steered-agent.ts';
import { SteeredAgent } from '../support/steered-agent.ts';
import { mainRequests, timesIn } from '../support/steered-run.ts';

const missing = which('bwrap', process.env) === undefined;
const skip = missing && process.env['CI'] === undefined ? 'missing: bubblewrap' : false;

const look = (nth: number): ToolCall => ({ name: 'Bash', args: { command: `echo part ${nth}` } });
const edits = (nth: number): ToolCall => ({
  name: 'Edit',
  args: { file_path: `${nth}.ts`, new_string: `const a = ${nth};` },
});
const fails = (what: string): ToolCall => ({
  name: 'Bash',
  args: { command: `: ${what}; exit 7` },
});
/** The folder is not there, so the tool can write none of these files. */
const lost = (nth: number): ToolCall => ({
  name: 'Edit',
  args: { file_path: `nowhere/${nth}.ts`, new_string: '' },
});
const absent = (path: string): ToolCall => ({ name: 'Read', args: { file_path: path } });

type Given = Omit<SteeredAgentOptions, 'call'> & { readonly calls: readonly ToolCall[] };

async function steered({ calls, ...given }: Given) {
  await using agent = await SteeredAgent.start({ ...given, call: (nth) => calls[nth - 1] });
  const { run, server } = agent;
  const { facts, anomalies, requestsAtSending } = await agent.follow();
  assert.deepEqual(facts.at(-1)?.payload, {
    outcome: { kind: 'unverified', reason: 'All done.' },
  });
  const requests = mainRequests(server);
  const messages = await agent.messages();
  for (const { id, state } of messages) {
    const first = requestsAtSending.get(id) ?? 0;
    assert.deepEqual(
      [state, timesIn(requests, messageMark(run, id))],
      ['seen', requests.map((_, nth) => (nth < first ? 0 : 1))],
      'it is in the next request, and stays there once',
    );
  }
  return {
    found: anomalies.map(({ turn, detector, decision }) => `${turn} ${detector} ${decision}`),
    told: messages.map(({ text }) => text),
    toldIn: messages.map(({ id }) => (requestsAtSending.get(id) ?? 0) + 1),
    noteKinds: new Set(
      facts.flatMap((fact) => (fact.type === 'command.noted' ? [fact.payload.note.kind] : [])),
    ),
    report: await agent.report(),
    hasReports: agent.hasReports,
  };
}

const times = <Made>(count: number, make: (nth: number) => Made): readonly Made[] =>
  Array.from({ length: count }, (_, nth) => make(nth + 1));

describe('acceptance in a real run', { skip, timeout: 300_000 }, () => {
  test('R357, T1 no organization: no logs, injections or reads', async () => {
    // The file of its role is broken, and a run is refused if it is read.
    const seen = await steered({ calls: times(20, look), organization: 'inactive' });
    const { found, told, hasReports, noteKinds } = seen;
    assert.deepEqual([found, told, hasReports, noteKinds.has('pace')], [[], [], false, false]);
  });

  test('R358, T2 normal success: checks run, no message', async () => {
    const seen = await steered({ calls: times(12, edits), organization: 'active' });
    assert.deepEqual([seen.found, seen.told], [[], []]);
    assert.deepEqual(seen.report, {
      ...{ state: 'complete', progress: 0, pace_level: 'primary', health: 'nominal' },
    });
  });

  test('R359, T3 stall message after the limit', async () => {
    const within = await steered({ calls: times(12, look), organization: 'active' });
    assert.deepEqual([within.found, within.told], [[], []]);
    const beyond = await steered({ calls: times(16, look), organization: 'active', held: [15] });
    assert.deepEqual(
      [beyond.found, beyond.told, beyond.toldIn],
      [
        ['15 stall sent'],
        [
          'There was no progress for 14 turns while working on: echo part 15. Leave this step, and build a smaller part of it. Seen in turns 2 to 15.',
        ],
        [16],
      ],
    );
  });

  test('R360, T4 loop message distinct from tool advice', async () => {
    const loop = await steered({ calls: times(6, () => absent('a.ts')), held: [6] });
    const advice = await steered({ calls: times(6, lost), held: [6] });
    assert.deepEqual([loop.found, advice.found], [['6 loop sent'], ['6 tool-advice sent']]);
    assert.match(
      loop.told.join(),
      /^The same call failed 5 times .*: Read a\.ts\. Do not repeat it/,
    );
    assert.match(advice.told.join(), /^Tool guidance: Edit failed 5 times in a row /);
  });

  test('R361, T5 context warning at 80 %', async () => {
    const below = await steered({ calls: times(4, edits), context: 0.79 });
    assert.deepEqual(below.found, []);
    const seen = await steered({ calls: times(4, edits), context: 0.8, held: [3] });
    assert.deepEqual([seen.found, seen.toldIn], [['3 context sent'], [4]]);
    assert.match(seen.told.join(), /^The context is 80 % full\. /);
  });

  test('R362, T6 PACE message contains role text', async () => {
    const calls = times(6, (nth) => fails(`try ${nth}`));
    const { told, toldIn } = await steered({ calls, organization: 'active', held: [6] });
    assert.deepEqual(toldIn, [7]);
    assert.match(
      told.join(),
      /^The role Coder is at its contingent level: describe the design and ask for help\. /,
    );
  });

  test('R363, T7 no repeat within 3 turns, again afterwards', async () => {
    const { found, told } = await steered({
      calls: times(20, look),
      organization: 'active',
      steering: { check_turns: 1 },
      held: [14, 17, 20],
    });
    assert.deepEqual(found, ['14 stall sent', '17 stall sent', '20 stall sent']);
    assert.deepEqual(
      told.map((text) => /echo part \d+/.exec(text)?.[0]),
      ['echo part 14', 'echo part 17', 'echo part 20'],
      'each names the step of its own turn',
    );
  });

  test('R364, T8 cascade detected as cascade', async () => {
    const broken = ['Glob', 'Grep', 'Read', 'Glob', 'Grep', 'Read'];
    const calls = broken.map((name) => ({ name, args: { file_path: 'a.ts', pattern: 'a' } }));
    const { found, told } = await steered({ calls, held: [6] });
    assert.deepEqual(found, ['6 cascade sent']);
    assert.match(told.join(), /^3 different tools failed one after another: Glob, Grep, Read\. /);
  });
});

/**
 * Runs the same agents twice, once without faults and once with owners that die. The end state must
 * be the same.
 */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { NO_CAPS } from '../../src/gateway/budget/budget-ledger.ts';
import { agentsOf } from './world/agent-facts.ts';
import type { AgentsScenario } from './world/agents-scenario.ts';
import type { Fault } from './world/machine-faults.ts';
import type { Scenario } from './world/scenario.ts';
import { INVARIANTS } from './world/invariants.ts';
import { World } from './world/world.ts';

const SEEDS = 3;
const WRITES_MAX = 41;
/**
 * A user declares the agents, and declares them again in case no owner acknowledged the first time.
 */
const DECLARED_MS = [1000, 120_000] as const;
const LETTERS_MS = 200_000;
const LETTERS = 4;

/** Only these agents and the given `faults`. The agents do their work, and wait. */
function quiet({ faults }: Pick<Scenario, 'faults'>): (drawn: Scenario) => Scenario {
  return (drawn) => ({
    ...drawn,
    horizonMs: 600_000,
    limits: [],
    acts: [],
    faults,
    trees: null, // its faults are not part of `faults`
    agentFaults: zeros(drawn.agentFaults),
    agents: drawn.agents === null ? null : steady(drawn.agents),
  });
}

function zeros<Key extends string>(likely: { readonly [key in Key]: number }): {
  readonly [key in Key]: number;
} {
  return Object.fromEntries(Object.keys(likely).map((key) => [key, 0])) as {
    [key in Key]: number;
  };
}

function steady(drawn: AgentsScenario): AgentsScenario {
  // One project, so that the nth agent is the same one in both worlds. No budgets, because an
  // interrupted call costs money.
  const settings = [...drawn.settings].slice(0, 1).map(([project, own]) => {
    const agents = own.tree.agents.map(({ path, request }) => ({
      path,
      request: { ...request, onDone: 'wait', queue: null, budget: NO_CAPS } as const,
    }));
    const attempt = { ...own.attempt, deadlineMs: null, interruptionsMax: 3 };
    return [project, { ...own, attempt, tree: { ...own.tree, agents } }] as const;
  });
  return {
    ...drawn,
    settings: new Map(settings),
    acts: [
      ...DECLARED_MS.flatMap((atMs) =>
        settings.map(([project]) => ({ kind: 'declare', project, atMs }) as const),
      ),
      ...Array.from({ length: LETTERS }, (_, nth) => ({
        ...({ kind: 'send', nth, text: `letter ${nth}.` } as const),
        atMs: LETTERS_MS + nth * 30_000,
      })),
    ],
    faults: zeros(drawn.faults),
    waits: 0,
    notes: 0,
    preflight: 0,
  };
}

/** Each agent as it was when a user dismissed it, without ids and times. */
async function treeOf(seed: number, faults: Scenario['faults']): Promise<readonly string[]> {
  const record = await new World(seed, quiet({ faults })).play();
  const broken = INVARIANTS.flatMap(({ name, breaches }) =>
    breaches(record).map((expectedText) => `${name}: ${expectedText}`),
  );
  assert.deepEqual(broken, [], `seed ${seed}, ${JSON.stringify(faults)}`);
  const agents = agentsOf(record);
  const names = new Map(agents.map(({ run, life }) => [run, life.name]));
  return agents
    .map(({ project, life, steps }) => {
      const last = steps.findLast(({ after }) => after.ending.outcome === null);
      const received = steps.flatMap(({ fact }) => {
        if (fact.type !== 'command.begun' || fact.payload.command !== 'attempt') return [];
        const { prompt, resumePrompt } = fact.payload.input;
        return `${prompt}${resumePrompt ?? ''}`.match(/letter \d+\./g) ?? [];
      });
      return JSON.stringify({
        project,
        name: life.name,
        parent: names.get(life.parent ?? '') ?? null,
        place: life.supervisor,
        grant: life.grant,
        state: last?.to,
        lives: last?.after.lives,
        spent: last?.after.restartsExhausted,
        commitments: last?.after.work.commitments.map(({ description, status }) => [
          description,
          status,
        ]),
        verdict: last?.after.work.verdict,
        heard: [...new Set(received)].toSorted(),
      });
    })
    .toSorted();
}

function seedsWithAgents(): readonly number[] {
  const seeds: number[] = [];
  for (let seed = 1; seeds.length < SEEDS; seed += 1) {
    const { agents } = new World(seed).scenario;
    const [first] = agents?.settings.values() ?? [];
    if ((first?.tree.agents.length ?? 0) > 2) seeds.push(seed);
  }
  return seeds;
}

describe('a tree of agents whose owner dies', () => {
  for (const seed of seedsWithAgents())
    test(`is resumed to the state that it would have without that death (seed ${seed})`, async () => {
      const peace = await treeOf(seed, []);
      assert.ok(peace.length > 2);
      for (let writes = 1; writes <= WRITES_MAX; writes += 5) {
        const kind = writes % 4 === 1 ? 'crash-before-write' : 'crash-after-write';
        const death: Fault = { kind, writes, downMs: 2000 };
        const tree = await treeOf(seed, [{ ...death, atMs: DECLARED_MS[0] - 1 }]);
        assert.deepEqual(tree, peace, `killed at write ${writes}`);
      }
    });
});

/**
 * Random trees, random edits by an agent, and random edits by the user meanwhile: the result has
 * both, and nothing else.
 */
import assert from 'node:assert/strict';
import { rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { isRefusal } from '../../src/base/errors.ts';
import { executeApply, planApply } from '../../src/workspace/apply/apply.ts';
import { commitWorkspace } from '../../src/workspace/commit-work.ts';
import type { Files } from './workspace-harness.ts';
import { workspaceHarness, read, write } from './workspace-harness.ts';

const RUNS = 12;
const NAMES = ['a', 'b c', 'ü', 'd\ne', '"f"', ':g'];

const file = fc.oneof(
  fc.string({ maxLength: 20 }),
  fc.constantFrom('', '\r\n', 'x\n'.repeat(50)),
  fc.record({ x: fc.string({ maxLength: 20 }) }),
);
const path = fc
  .array(fc.constantFrom(...NAMES), { minLength: 1, maxLength: 3 })
  .map((steps) => steps.join('/'));
const files = fc.dictionary(path, file, { maxKeys: 8, noNullPrototype: true }).map(fitting);
/** Where to write, and what; null deletes. */
const edits = fc.array(fc.tuple(path, fc.option(file, { freq: 3 })), { maxLength: 8 });

/** No file may be where another one needs a folder. */
function fitting(given: Files): Files {
  const saved: Record<string, Files[string]> = {};
  for (const [one, content] of Object.entries(given)) {
    const isInTheWay = Object.keys(saved).some(
      (other) => other.startsWith(`${one}/`) || one.startsWith(`${other}/`),
    );
    if (!isInTheWay) saved[one] = content;
  }
  return saved;
}

type Edits = readonly (readonly [string, Files[string] | null])[];

async function edit(root: string, given: Edits): Promise<void> {
  for (const [one, content] of given) {
    for (let above = dirname(one); above !== '.'; above = dirname(above))
      if ((await read(root))[above] !== undefined) await rm(join(root, above));
    await rm(join(root, one), { recursive: true, force: true });
    if (content !== null) await write(root, { [one]: content });
  }
}

test(
  'an apply makes exactly the edits of the agent, contents and modes',
  { timeout: 300_000 },
  async () => {
    await fc.assert(
      fc.asyncProperty(files, edits, fc.boolean(), async (base, agent, plain) => {
        await using b = await workspaceHarness(base, { plain });
        const ws = await b.make();
        await edit(ws.work, agent);
        const wanted = await read(ws.work);
        const saved = await commitWorkspace(ws.id, b.ports);
        const changed = new Set([...Object.keys(base), ...Object.keys(wanted)]);
        const differing = [...changed].filter((one) => !same(base[one], wanted[one]));
        assert.deepEqual(
          saved.changes.map((change) => change.path).toSorted(),
          differing.toSorted(),
        );
        const planned = await planApply(ws.id, b.ports, { commit: saved.commit });
        assert.deepEqual(await executeApply(planned, b.ports), { kind: 'applied' });
        assert.deepEqual(await read(b.project), wanted);
      }),
      { numRuns: RUNS },
    );
  },
);

test("the user's edits meanwhile are never lost", { timeout: 300_000 }, async () => {
  await fc.assert(
    fc.asyncProperty(files, edits, edits, async (base, agent, user) => {
      await using b = await workspaceHarness(base);
      const ws = await b.make();
      await edit(ws.work, agent);
      await edit(b.project, user);
      const [before, agents] = [await read(b.project), await read(ws.work)];
      const saved = await commitWorkspace(ws.id, b.ports);
      let applied = false;
      try {
        const planned = await planApply(ws.id, b.ports, { commit: saved.commit });
        applied = (await executeApply(planned, b.ports)).kind === 'applied';
      } catch (error) {
        if (!isRefusal(error)) throw error; // only a refusal is an answer here
      }
      const after = await read(b.project);
      if (!applied) return assert.deepEqual(after, before);
      for (const one of new Set([
        ...Object.keys(base),
        ...Object.keys(before),
        ...Object.keys(agents),
      ])) {
        const [was, mine, theirs, is] = [base[one], before[one], agents[one], after[one]];
        if (same(mine, was)) assert.deepEqual(is, theirs, `${one}: only the agent changed it`);
        else if (same(theirs, was) || same(theirs, mine))
          assert.deepEqual(is, mine, `${one}: only the user changed it`);
        else assert.notEqual(is, undefined, `${one}: both changed it, and it was merged`);
      }
    }),
    { numRuns: RUNS },
  );
});

function same(a: Files[string] | undefined, b: Files[string] | undefined): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

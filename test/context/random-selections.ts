/** Random selections from this project and two generated ones, each packed and counted again. */
import assert from 'node:assert/strict';
import { fileURLToPath } from 'node:url';
import * as fc from 'fast-check';
import { isRefusal } from '../../src/base/errors.ts';
import { ContextCache } from '../../src/context/context-cache.ts';
import { gather } from '../../src/context/gather.ts';
import { openProject } from '../../src/context/open-project.ts';
import { pack } from '../../src/context/pack.ts';
import type { ProjectView, ProjectFile } from '../../src/context/project-view.ts';
import { PLAIN_STRATEGY } from '../../src/context/strategy.ts';
import { countTokens, usableTokens } from '../../src/context/tokenizer.ts';
import { pythonProject, typescriptProject } from '../support/generated-project.ts';
import { memoryProject } from '../support/memory-project.ts';

/** Each file is read from the disk once, so that the time goes into packing. */
function remembered(view: ProjectView): ProjectView {
  const known = new Map<string, Promise<ProjectFile>>();
  return {
    ...view,
    read: (path, mention) => {
      const key = `${path} ${mention.named}`;
      const seen = known.get(key) ?? view.read(path, mention);
      known.set(key, seen);
      return seen;
    },
  };
}

export type Tally = {
  readonly packed: number;
  /** Selections whose targets alone were too large. */
  readonly refused: number;
  /** Selections that had to leave something out. */
  readonly tight: number;
};

/** Throws, with its seed, for the first selection that exceeds its budget. */
export async function packAtRandom(runs: number): Promise<Tally> {
  const root = fileURLToPath(new URL('../..', import.meta.url));
  const views = [
    remembered(await openProject(root, new ContextCache())),
    memoryProject(typescriptProject(5000)),
    memoryProject(pythonProject(1000)),
  ];
  const cache = new ContextCache();
  const tally = { packed: 0, refused: 0, tight: 0 };
  const frame = fc.string({ maxLength: 200 });
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...views),
      fc.array(fc.nat(), { maxLength: 3 }),
      fc.array(
        fc.constantFrom(
          '$TARGET',
          '$TARGET_IMPORTS',
          '$COMPONENT_PUBLIC_API',
          'README.md',
          '**/*1.*',
          'src/**',
        ),
        { maxLength: 4 },
      ),
      fc.integer({ min: 100, max: 1500 }),
      fc.constantFrom('codex', 'claude', 'gemini', null),
      fc.nat(19).map((die) => die === 0), // parsing each file is expensive
      frame,
      async (view, picks, include, budget, cli, blind, frame) => {
        const targets = picks.map((pick) => view.paths[pick % view.paths.length] ?? '');
        const request = { include, alwaysInclude: [], exclude: [], gitDiff: false, blind };
        const gathered = await gather({ view, request, strategy: PLAIN_STRATEGY, targets });
        const around = (context: string): string => `${frame}\n${context}${frame}`;
        try {
          const packed = await pack({
            ...gathered,
            budget,
            cli,
            around,
            redact: async (text) => text,
            cache,
          });
          const whole = countTokens(around(packed.text));
          assert.ok(whole <= usableTokens(budget, cli), `${whole} tokens of ${budget}`);
          assert.equal(packed.tokens, whole);
          tally.packed += 1;
          if (packed.dropped.length > 0) tally.tight += 1;
        } catch (error) {
          if (!isRefusal(error, 'context.too-large')) throw error;
          tally.refused += 1;
        }
      },
    ),
    { numRuns: runs },
  );
  return tally;
}

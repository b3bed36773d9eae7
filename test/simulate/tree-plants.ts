/** Known bugs in the work with trees: commit, hand out, remove, apply. */
import type { Plant } from './plant.ts';

export const TREE_PLANTS: readonly Plant[] = [
  {
    says: 'removes a tree before its work is committed',
    file: 'workspace/commit-tree.ts',
    find: `    const { oddities } = await commitTree(workspace, ops, limits === undefined ? {} : { limits });
    const unstorable = oddities.filter(({ kind }) => UNSTORABLE.includes(kind));
    if (unstorable.length > 0 && !discardUnstorable) return { kind: 'stays', ref, unstorable };
    // The tree is moved aside in one step first. Otherwise a half-removed tree could be committed as the work.
    await ops.setAside();`,
    replace: `    await ops.setAside();`,
  },
  {
    says: 'removes a tree of which no ref can hold every file',
    file: 'workspace/commit-tree.ts',
    find: `if (unstorable.length > 0 && !discardUnstorable) return`,
    replace: `if (unstorable.length > 0 && discardUnstorable) return`,
  },
  {
    says: 'sets a ref before its commit is durable',
    file: 'workspace/commit-tree.ts',
    find: `    await ops.makeDurable(commit, earlier ?? base);
`,
    replace: ``,
  },
  {
    says: 'makes a new tree for an attempt after an interruption',
    file: 'workspace/commit-tree.ts',
    find: `build(await ops.record())`,
    replace: `build(undefined)`,
  },
  {
    says: 'commits no work of an interrupted attempt',
    file: 'execution/perform-finalize.ts',
    find: `if (attempt === 0 || (await findCommit(run, attempt)).kind !== 'in-project') return;`,
    replace: `if (attempt === 0 || (await findCommit(run, attempt)).kind === 'in-project') return;`,
  },
  {
    says: 'prunes runs that are running',
    file: 'owner/runs/prune.ts',
    find: `if (view.endedAt !== null && view.endedAt < before) ended.set`,
    replace: `if ((view.endedAt ?? 0) < before) ended.set`,
  },
  {
    says: 'removes the tree of the current life',
    file: 'owner/runs/earlier-lives.ts',
    find: `treesBelow: remainingTrees.length === 0 ? 0 : Math.min(...remainingTrees),`,
    replace: `treesBelow: remainingTrees.length === 0 ? 0 : Math.max(...remainingTrees) + 1,`,
  },
  {
    says: 'applies before `apply.begun` is durable',
    file: 'owner/runs/recorded-plans.ts',
    find: `    await this.#ports.record(begun).catch(async`,
    replace: `    await this.#ports.trees.execute(next);
    await this.#ports.record(begun).catch(async`,
  },
  {
    says: 'does not continue an interrupted apply',
    file: 'owner/runs/run-changes.ts',
    find: `    for (const begun of unfinishedApplies(facts))`,
    replace: `    for (const begun of unfinishedApplies(facts).slice(1))`,
  },
  {
    says: 'forgets the idempotency key of an apply',
    file: 'owner/runs/run-changes.ts',
    find: `      ...(request === undefined ? {} : { request }),
`,
    replace: ``,
  },
  {
    says: 'overwrites what the user wrote during an apply',
    file: 'workspace/apply/execute-apply.ts',
    find: `  if (aside !== 'absent' && !isAt(aside, expected)) return 'changed';
`,
    replace: ``,
  },
  {
    says: 'does not put back what it set aside when it gives an apply up',
    file: 'workspace/apply/execute-apply.ts',
    find: `if (aside === 'absent' || (await ops.restoreAside(edit, path))) continue;`,
    replace: `if (aside === 'absent' || isAt(aside, expected)) continue;`,
  },
  {
    says: 'treats half an apply as a whole one',
    file: 'workspace/apply/execute-apply.ts',
    find: `  if (await ops.wasPlaced()) {`,
    replace: `  if ((await ops.wasPlaced()) || (await ops.aside(0)) !== 'absent') {`,
  },
  {
    says: "applies the agent's file although the user has changed it",
    file: 'workspace/apply/plan-apply.ts',
    find: `        if (goal === undefined || typeof state === 'string') conflicts.push(path);`,
    replace: `        if (typeof state === 'string') conflicts.push(path);
        else if (goal === undefined && after !== undefined)
          edits.push({ path, expected: state, goal: after });`,
  },
];

/** Known bugs in the work with trees: commit, hand out, remove, apply. */
import type { Plant } from './plant.ts';

export const TREE_PLANTS: readonly Plant[] = [
  {
    says: 'removes a tree before its work is kept',
    file: 'workspace/commit-tree.ts',
    find: `    const { oddities } = await commitTree(place, hands, limits === undefined ? {} : { limits });
    const because = oddities.filter(({ kind }) => UNKEEPABLE.includes(kind));
    if (because.length > 0 && !evenUnkept) return { kind: 'stays', ref, because };
    // In one step first: half a tree must never be taken for the work, and be kept as if it were.
    await hands.setAside();`,
    replace: `    await hands.setAside();`,
  },
  {
    says: 'removes a tree of which no ref can hold every file',
    file: 'workspace/commit-tree.ts',
    find: `if (because.length > 0 && !evenUnkept) return`,
    replace: `if (because.length > 0 && evenUnkept) return`,
  },
  {
    says: 'names a commit on a ref before the commit is on the disk for good',
    file: 'workspace/commit-tree.ts',
    find: `    await hands.makeDurable(commit, earlier ?? base);
`,
    replace: ``,
  },
  {
    says: 'makes a tree anew for an attempt that follows a lost one',
    file: 'workspace/commit-tree.ts',
    find: `build(await hands.record())`,
    replace: `build(undefined)`,
  },
  {
    says: 'keeps nothing of an attempt that was lost with its owner',
    file: 'execution/perform-finalize.ts',
    find: `if (attempt === 0 || (await keptOf(run, attempt)).kind !== 'in-project') return;`,
    replace: `if (attempt === 0 || (await keptOf(run, attempt)).kind === 'in-project') return;`,
  },
  {
    says: 'makes room from runs that go on',
    file: 'owner/runs/prune.ts',
    find: `if (view.endedAt !== null && view.endedAt < before) over.set`,
    replace: `if ((view.endedAt ?? 0) < before) over.set`,
  },
  {
    says: 'removes the tree of the present life',
    file: 'owner/runs/earlier-lives.ts',
    find: `treesBelow: kept.length === 0 ? 0 : Math.min(...kept),`,
    replace: `treesBelow: kept.length === 0 ? 0 : Math.max(...kept) + 1,`,
  },
  {
    says: 'applies before `apply.begun` is durable',
    file: 'owner/runs/run-changes.ts',
    find: `    await this.#ports.say({ type: 'apply.begun', payload: begun }).catch(async`,
    replace: `    await this.#ports.trees.carryOut(next);
    await this.#ports.say({ type: 'apply.begun', payload: begun }).catch(async`,
  },
  {
    says: 'leaves an apply alone that an owner was killed in',
    file: 'owner/runs/run-changes.ts',
    find: `    for (const begun of unfinished(facts))`,
    replace: `    for (const begun of unfinished(facts).slice(1))`,
  },
  {
    says: 'forgets the key under which an apply was asked for',
    file: 'owner/runs/run-changes.ts',
    find: `      ...(request === undefined ? {} : { request }),
`,
    replace: ``,
  },
  {
    says: 'writes over what the user wrote while it was applied',
    file: 'workspace/apply/execute-apply.ts',
    find: `  if (aside !== 'absent' && !isAt(aside, expected)) return 'changed';
`,
    replace: ``,
  },
  {
    says: 'does not put back what it set aside when it gives an apply up',
    file: 'workspace/apply/execute-apply.ts',
    find: `if (aside === 'absent' || (await hands.putBack(edit, path))) continue;`,
    replace: `if (aside === 'absent' || isAt(aside, expected)) continue;`,
  },
  {
    says: 'takes half an apply for a whole one',
    file: 'workspace/apply/execute-apply.ts',
    find: `  if (await hands.wasPlaced()) {`,
    replace: `  if ((await hands.wasPlaced()) || (await hands.aside(0)) !== 'absent') {`,
  },
  {
    says: 'takes the work of the agent where the user has changed the same file',
    file: 'workspace/apply/plan-apply.ts',
    find: `        if (goal === undefined || typeof here === 'string') conflicts.push(path);`,
    replace: `        if (typeof here === 'string') conflicts.push(path);
        else if (goal === undefined && after !== undefined)
          edits.push({ path, expected: here, goal: after });`,
  },
];

/** Invariants of trees, applies and prunes, checked on the record. */
import type { Invariant } from './attempt-rules.ts';
import type { WorldRecord } from './record.ts';
import type { TreeEvent, TreesRecord } from './trees-record.ts';

export const TREE_RULES: readonly Invariant[] = [
  {
    name: 'work is on its ref before its tree is removed',
    breaches: eachOf('removed', ({ run, lost }) =>
      lost.map((path) => `run ${run}: ${path} was removed and is on no ref`),
    ),
  },
  {
    name: 'an attempt finds the tree as the last one left it',
    breaches: eachOf('given', ({ run, key, differs }) =>
      differs.map((path) => `run ${run}: ${key} did not find ${path} as it was left`),
    ),
  },
  {
    name: 'a tree has one attempt at a time',
    breaches: eachOf('given', ({ run, key, holder }) =>
      holder === null ? [] : [`run ${run}: ${key} got the tree that ${holder} had`],
    ),
  },
  {
    name: 'saved work stays saved',
    breaches: ({ trees }) =>
      (trees?.lostCommits ?? []).map((commit) => `${commit} was recorded as saved and is gone`),
  },
  {
    name: 'the work of a run is saved when it ends',
    breaches: eachOf('finalized', ({ run, unkept }) =>
      unkept.map((path) => `run ${run}: ${path} is in its tree and on no ref`),
    ),
  },
  {
    name: 'apply.begun is durable before a file changes',
    breaches: eachOf('touched', ({ run, path, isBegun }) =>
      isBegun ? [] : [`run ${run}: ${path} changed before the apply was on record`],
    ),
  },
  { name: 'an apply is all or nothing and loses nothing of the user', breaches: halfApplied },
  {
    name: 'an interrupted apply continues with the next owner',
    breaches: ({ trees }) =>
      (trees?.cutOff ?? []).map((run) => `run ${run}: its apply has begun and does not end`),
  },
  { name: 'an apply is carried out once for each key', breaches: appliedTwice },
  {
    name: 'only ended runs and lives are pruned',
    breaches: (record) => [
      ...eachOf('removed', ({ run, by, isOver, isOfEarlierLife }) =>
        isOver || by === 'attempt' || (by === 'prune' && isOfEarlierLife)
          ? []
          : [`run ${run}: its tree was removed while it was running`],
      )(record),
      ...eachOf('cleared', ({ run, isOver }) =>
        isOver ? [] : [`run ${run}: its output was removed while it was running`],
      )(record),
    ],
  },
];

type OfKind<Kind extends TreeEvent['kind']> = Extract<TreeEvent, { readonly kind: Kind }>;

function listEvents<Kind extends TreeEvent['kind']>(
  trees: TreesRecord | null | undefined,
  kind: Kind,
): readonly OfKind<Kind>[] {
  return (trees?.events ?? []).filter((event): event is OfKind<Kind> => event.kind === kind);
}

function eachOf<Kind extends TreeEvent['kind']>(
  kind: Kind,
  breaches: (event: OfKind<Kind>) => readonly string[],
): Invariant['breaches'] {
  return ({ trees }) => listEvents(trees, kind).flatMap(breaches);
}

function halfApplied({ trees }: WorldRecord): readonly string[] {
  return [
    ...listEvents(trees, 'tidied').flatMap(({ run, differs }) =>
      differs.map((what) => `run ${run}: after its apply ${what}`),
    ),
    ...(trees?.differences ?? []),
  ];
}

function appliedTwice({ trees, facts }: WorldRecord): readonly string[] {
  const begun = facts.flatMap(({ type, payload }) =>
    type === 'apply.begun' && payload.request !== undefined ? [payload.request.key] : [],
  );
  const twice = [...Map.groupBy(begun, (key) => key)].flatMap(([key, all]) =>
    all.length === 1 ? [] : [`${key} was begun ${all.length} times`],
  );
  const answers = listEvents(trees, 'answered');
  const changed = [...Map.groupBy(answers, ({ request }) => request)].flatMap(([key, all]) => {
    const first = all.findIndex(({ answer }) => answer.startsWith('{'));
    const reported = new Set(all.slice(Math.max(first, 0)).map(({ answer }) => answer));
    return first === -1 || reported.size === 1
      ? []
      : [`${key} was applied, and answered otherwise later`];
  });
  const unfounded = answers.flatMap(({ request, isOnRecord }) =>
    isOnRecord ? [] : [`${request} was answered and is not on record`],
  );
  return [...twice, ...changed, ...unfounded];
}

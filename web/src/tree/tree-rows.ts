/** The tree as rows from the top down, each with its depth, and what a person can do about it. */
import type { OpenQuestion } from '../../../src/protocol/views/open-question.ts';
import type { RestartBudget, TreeNode } from '../../../src/protocol/views/tree-view.ts';

export type TreeRow = {
  readonly node: TreeNode;
  readonly depth: number;
  /** For each level above it, whether more siblings follow there. */
  readonly lines: readonly boolean[];
  readonly isLast: boolean;
  /** It asks whether it is to be restarted. */
  readonly question: OpenQuestion | undefined;
};

/** `withInternals`: also the parts of the owner itself. */
export function treeRows(
  nodes: readonly TreeNode[],
  questions: readonly OpenQuestion[],
  withInternals: boolean,
): readonly TreeRow[] {
  const shown = withInternals ? nodes : nodes.filter((node) => node.project !== null);
  const ids = new Set(shown.map(({ id }) => id));
  const parentOf = ({ parent }: TreeNode): string | null =>
    parent !== null && ids.has(parent) ? parent : null;
  const children = Map.groupBy(shown, parentOf);
  const walk = (parent: string | null, lines: readonly boolean[]): TreeRow[] => {
    const own = children.get(parent) ?? [];
    return own.flatMap((node, index) => {
      const isLast = index === own.length - 1;
      const question = questions.find(({ run }) => run === node.agent?.run);
      const depth = lines.length;
      const below = parent === null ? [] : [...lines, !isLast];
      return [
        { node, depth: parent === null ? 0 : depth + 1, lines, isLast, question },
        ...walk(node.id, below),
      ];
    });
  };
  return walk(null, []);
}

/** How many restarts of the window are used now. */
export function restartsUsed({ withinMs, restartedAt }: RestartBudget, now: number): number {
  return restartedAt.filter((at) => at > now - withinMs).length;
}

/** Whether the owner asks a person about this agent, and one of the answers is a restart. */
export function canRestart({ question }: Pick<TreeRow, 'question'>): boolean {
  return question?.choices.includes('restart') === true;
}

/** What is not well, the owner's own parts included. */
export function troubled(nodes: readonly TreeNode[]): readonly TreeNode[] {
  return nodes.filter(({ health, project }) => health !== 'well' && project === null);
}

import type { Json } from '../base/json.ts';
import { describePlace } from '../yaml/problem.ts';
import { entryAt, listLeaves, pathText } from '../yaml/yaml-tree.ts';
import type { LoadedRole } from './load-role.ts';

export type ExplainedField = {
  /** Such as `context.token_budget` or `gates[0].name`. */
  readonly key: string;
  readonly value: Json;
  /** `file:line:column` of each text that is part of the value. */
  readonly origins: readonly string[];
};

/** Every field of the role's files, and where each comes from. */
export function explainRole({ role, written, layers }: LoadedRole): readonly ExplainedField[] {
  return listLeaves(written).map(({ path, leaf }) => {
    const key = pathText(path);
    if (key === 'system_prompt')
      return { key, value: role.systemPrompt, origins: promptOrigins(layers) };
    const value = leaf.kind === 'scalar' ? leaf.value : leaf.kind === 'list' ? [] : {};
    return { key, value, origins: [describePlace(leaf.place)] };
  });
}

/** A prompt is joined from many files; null drops the texts before it. */
function promptOrigins(layers: LoadedRole['layers']): readonly string[] {
  let origins: string[] = [];
  for (const { tree } of layers) {
    for (const key of ['system_prompt', 'system_prompt_additions']) {
      const value = entryAt(tree, key)?.value;
      if (value?.kind !== 'scalar') continue;
      if (value.value === null) origins = [];
      else origins.push(describePlace(value.place));
    }
  }
  return origins;
}

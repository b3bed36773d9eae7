/** What a project's configuration file declares: agents, setup and gates, as `supervisor init` writes them. */
import { isRecord } from '../base/json.ts';
import { readYaml } from '../yaml/read-yaml.ts';
import { toValue } from '../yaml/yaml-tree.ts';

/** The default agent, and those that take over from it in turn. Empty if the text declares none. */
export function declaredChain(text: string): readonly string[] {
  const { tree } = readYaml(text, (line, column) => ({ file: '', line, column }));
  const config = toValue(tree);
  if (!isRecord(config)) return [];
  const { default_agent: first, selection } = config;
  const fallbacks = isRecord(selection) ? selection['fallbacks'] : undefined;
  const chain: string[] = [];
  for (let next = first; typeof next === 'string' && !chain.includes(next);) {
    chain.push(next);
    next = isRecord(fallbacks) && Object.hasOwn(fallbacks, next) ? fallbacks[next] : undefined;
  }
  return chain;
}

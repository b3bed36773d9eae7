/**
 * Rules about what an agent may try, judged outside of its reach. They are read from the top and the
 * first that matches decides; every attempt that matches is reported, whatever is done about it.
 */
import { posix } from 'node:path';
import type { Activity } from '../protocol/activity.ts';
import type { AgentRule } from '../protocol/agent-rules.ts';

export type Violation = {
  readonly rule: string;
  readonly action: AgentRule['action'];
  /** What was tried, in a sentence without its subject. */
  readonly what: string;
};

/** Undefined when no rule has anything against it. */
export function judgeActivity(rules: readonly AgentRule[], deed: Activity): Violation | undefined {
  for (const { name, action, when } of rules) {
    const what = objection(when, deed);
    if (what !== undefined) return { rule: name, action, what };
  }
  return undefined;
}

/** Where the rules of an agent are kept. Writing there is a violation whatever else is written down. */
export function selfModification(folders: readonly string[]): AgentRule {
  return {
    name: 'self-modification',
    action: 'reap',
    when: { kind: 'self-modification', folders },
  };
}

function objection(when: AgentRule['when'], deed: Activity): string | undefined {
  switch (when.kind) {
    case 'outside':
      if (deed.kind !== 'write' || when.folders.some((folder) => isInside(deed.path, folder)))
        return undefined;
      return `writes to ${deed.path}, outside of its folders`;
    case 'self-modification':
      if (deed.kind !== 'write' || !when.folders.some((folder) => isInside(deed.path, folder)))
        return undefined;
      return `writes to ${deed.path}, which sets its own limits`;
    case 'over-budget':
      return deed.kind === 'spend' && deed.usd > when.usd
        ? `has spent ${deed.usd} of ${when.usd} USD`
        : undefined;
    case 'too-many-children':
      return deed.kind === 'spawn' && deed.children > when.max
        ? `has ${deed.children} children, ${when.max} are allowed`
        : undefined;
    case 'unknown-host':
      return deed.kind === 'connect' && !when.hosts.some((host) => covers(host, deed.host))
        ? `connects to ${deed.host}`
        : undefined;
    case 'command':
      return deed.kind === 'command' && beginsWith(deed.argv, when.words)
        ? `runs ${when.words.join(' ')}`
        : undefined;
  }
}

/** `..` is followed before it is looked at; a path that is not absolute is inside of nothing. */
function isInside(path: string, folder: string): boolean {
  const [file, dir] = [posix.normalize(path), posix.normalize(`${folder}/`)];
  return posix.isAbsolute(file) && (`${file}/` === dir || file.startsWith(dir));
}

function covers(pattern: string, host: string): boolean {
  const [rule, name] = [pattern.toLowerCase(), host.toLowerCase().replace(/\.$/, '')];
  return rule.startsWith('*.') ? name.endsWith(rule.slice(1)) : name === rule;
}

function beginsWith([program = '', ...rest]: readonly string[], words: readonly string[]): boolean {
  const said = [posix.basename(program), ...rest];
  return words.length > 0 && words.every((word, index) => said[index] === word);
}

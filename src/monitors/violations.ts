/**
 * Rules about the activity of an agent, judged out of its reach. The first rule that matches decides. Every
 * match is reported, whatever the reaction.
 */
import { posix } from 'node:path';
import type { Activity } from '../protocol/activity.ts';
import type { AgentRule } from '../protocol/agent-rules.ts';

export type Violation = {
  readonly rule: string;
  readonly action: AgentRule['action'];
  /** The activity, as a sentence without its subject. */
  readonly what: string;
};

/** Undefined if no rule matches. */
export function judgeActivity(
  rules: readonly AgentRule[],
  activity: Activity,
): Violation | undefined {
  for (const { name, action, when } of rules) {
    const what = findViolation(when, activity);
    if (what !== undefined) return { rule: name, action, what };
  }
  return undefined;
}

/** A rule for the folders that hold the agent's own rules: writing there is always a violation. */
export function selfModification(folders: readonly string[]): AgentRule {
  return {
    name: 'self-modification',
    action: 'reap',
    when: { kind: 'self-modification', folders },
  };
}

function findViolation(when: AgentRule['when'], activity: Activity): string | undefined {
  switch (when.kind) {
    case 'outside':
      if (
        activity.kind !== 'write' ||
        when.folders.some((folder) => isInside(activity.path, folder))
      )
        return undefined;
      return `writes to ${activity.path}, outside of its folders`;
    case 'self-modification':
      if (
        activity.kind !== 'write' ||
        !when.folders.some((folder) => isInside(activity.path, folder))
      )
        return undefined;
      return `writes to ${activity.path}, which sets its own limits`;
    case 'over-budget':
      return activity.kind === 'spend' && activity.usd > when.usd
        ? `has spent ${activity.usd} of ${when.usd} USD`
        : undefined;
    case 'too-many-children':
      return activity.kind === 'spawn' && activity.children > when.max
        ? `has ${activity.children} children, ${when.max} are allowed`
        : undefined;
    case 'unknown-host':
      return activity.kind === 'connect' && !when.hosts.some((host) => covers(host, activity.host))
        ? `connects to ${activity.host}`
        : undefined;
    case 'command':
      return activity.kind === 'command' && beginsWith(activity.argv, when.words)
        ? `runs ${when.words.join(' ')}`
        : undefined;
  }
}

/** `..` is resolved first. A relative path is inside no folder. */
function isInside(path: string, folder: string): boolean {
  const [file, dir] = [posix.normalize(path), posix.normalize(`${folder}/`)];
  return posix.isAbsolute(file) && (`${file}/` === dir || file.startsWith(dir));
}

function covers(pattern: string, host: string): boolean {
  const [rule, name] = [pattern.toLowerCase(), host.toLowerCase().replace(/\.$/, '')];
  return rule.startsWith('*.') ? name.endsWith(rule.slice(1)) : name === rule;
}

function beginsWith([program = '', ...rest]: readonly string[], words: readonly string[]): boolean {
  const command = [posix.basename(program), ...rest];
  return words.length > 0 && words.every((word, index) => command[index] === word);
}

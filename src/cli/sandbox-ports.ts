import { userHomeFolder } from '../host/machine/account-home.ts';
import { writeFileAtomic } from '../host/files/atomic-files.ts';
import { readTextFile } from '../host/files/read-text-file.ts';
import type { ChoicePorts } from '../sandbox/choose-backend.ts';
import { canaryMemory } from '../sandbox/choose-backend.ts';
import { probeFacts } from '../sandbox/probe-facts.ts';
import type { CliContext } from './cli-context.ts';
import { stateHome } from './connect-owner.ts';

/** For commands that use a sandbox directly, without an owner. */
export function sandboxPorts(context: CliContext): ChoicePorts {
  const { clock, random, env, version, pid } = context;
  const { dir } = stateHome(context);
  const file = `${dir}/sandbox.json`;
  return {
    clock,
    random,
    facts: probeFacts(env),
    protectedPaths: { userDir: userHomeFolder(), stateDir: dir },
    tag: `sandbox-${pid}`,
    release: version,
    memory: canaryMemory(
      () => readTextFile(file, 65_536),
      (text) => writeFileAtomic(file, text),
    ),
  };
}

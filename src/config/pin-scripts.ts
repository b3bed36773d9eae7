/**
 * Replaces the preflight scripts of a project by their text. A run pins the text that was read with its settings.
 * For a file of the trusted folder these are the hashed bytes, so a later change of the file never runs.
 */
import { join, normalize } from 'node:path';
import { errnoWords } from '../host/files/errno.ts';
import type { PreflightScript } from '../settings/sandbox-config.ts';
import type { Settings } from '../settings/settings.ts';
import type { TrustedProject } from '../trust/trusted-project.ts';
import type { Problem } from '../yaml/problem.ts';
import { quote, yamlRefusal } from '../yaml/problem.ts';
import type { YamlTree } from '../yaml/yaml-tree.ts';
import { pathText, treeAt } from '../yaml/yaml-tree.ts';
import type { ReadFile } from './load-settings.ts';
import type { ProjectRuleContext } from './project-rules.ts';

/** The facts of a run repeat the text for each sandboxed command, so it must be short. */
const SCRIPT_BYTES_MAX = 32_000;

const INVALID = {
  code: 'config.invalid',
  hint: 'A script that starts with ./ is a file of the project; ~/ is your home folder.',
} as const;

type Pinned = PreflightScript | { readonly problem: string };

/** Refuses a script that does not exist, is too long, or is not text. */
export async function pinScripts(
  settings: Settings,
  written: YamlTree,
  project: TrustedProject,
  { outside }: ProjectRuleContext,
  readFile: ReadFile,
): Promise<Settings> {
  const scripts: PreflightScript[] = [];
  const problems: Problem[] = [];
  for (const [index, script] of settings.sandbox.preflight.entries()) {
    const pinned = await pin(script, project, outside, readFile);
    if (typeof pinned === 'string' || 'text' in pinned) {
      scripts.push(pinned);
      continue;
    }
    const path = ['sandbox', 'preflight', index];
    const key = pathText(path);
    const { place } = treeAt(written, path) ?? written;
    problems.push({ place, key, message: `${key}: ${pinned.problem}` });
  }
  if (problems.length > 0) throw yamlRefusal(problems, INVALID);
  return { ...settings, sandbox: { ...settings.sandbox, preflight: scripts } };
}

async function pin(
  script: PreflightScript,
  project: TrustedProject,
  outside: ProjectRuleContext['outside'],
  readFile: ReadFile,
): Promise<Pinned> {
  if (typeof script !== 'string' || !script.startsWith('./')) return script;
  const path = normalize(join(project.root, script));
  const isTrusted = project.holds(path);
  // A link in the project could lead to any file of the user.
  const why = isTrusted ? undefined : outside(script);
  if (why !== undefined) return { problem: why };
  const { read } = project.over({ read: readFile, list: async () => [] });
  let text: string | undefined;
  try {
    text = await read(path, SCRIPT_BYTES_MAX);
  } catch (error) {
    return { problem: `${quote(script)} cannot be read: ${errnoWords(error)}` };
  }
  if (text === undefined)
    return {
      problem:
        project.isLeftOut && isTrusted
          ? `${quote(script)} is ignored, because the files of the project are not trusted`
          : `there is no file ${quote(script)} in the project`,
    };
  if (Buffer.byteLength(text) > SCRIPT_BYTES_MAX)
    return { problem: `${quote(script)} has more than ${SCRIPT_BYTES_MAX} bytes` };
  // Reading bytes that are not text changes them, so a different script than the trusted one would run.
  if (/[\0\uFFFD]/.test(text)) return { problem: `${quote(script)} is not UTF-8 text` };
  return { name: script, text };
}

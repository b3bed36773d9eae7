import { resolve } from 'node:path';
import type { Command } from 'commander';
import { shellWord } from '../../base/shell-words.ts';
import { ContextCache } from '../../context/context-cache.ts';
import { openProject } from '../../context/open-project.ts';
import { detectProject, isManifest } from '../../roles/detect-project.ts';
import type { Detected } from '../../roles/detect-project.ts';
import { PACKS } from '../../roles/packs.ts';
import type { PackId } from '../../roles/packs.ts';
import { starterFiles } from '../../roles/starter-files.ts';
import { EXIT } from '../exit-codes.ts';
import type { CliContext } from '../cli-context.ts';
import { paint } from '../cli-context.ts';
import type { CommandEnding } from '../command-line.ts';
import { writeProjectFiles } from '../project-files.ts';

type Options = { readonly project?: string; readonly yes: boolean };

/** Needs no owner. It only adds files. */
export function addInit(program: Command, context: CliContext, finish: CommandEnding): void {
  program
    .command('init')
    .description('Detect the project type and create a .supervisor folder with matching roles')
    .option('-y, --yes', 'enable the suggested roles without asking', false)
    .option('-p, --project <dir>', 'the project folder (default: the current folder)')
    .action(async ({ project, yes }: Options) => {
      const root = resolve(context.cwd, project ?? '.');
      const detected = await detect(root);
      const names = detected.names.join(', ') || 'nothing that has its own role pack';
      context.out(`Detected: ${names}\n`);
      const asks = !yes && context.terminal.isTty && process.stdin.isTTY;
      const chosen = asks ? await ask(detected) : suggest(context, detected);
      if (chosen === undefined || !(asks || yes)) {
        context.out(`Nothing was written.${asks ? '' : ' To enable these, add --yes.'}\n`);
        return finish(asks ? EXIT.interrupted : EXIT.usage);
      }
      const packs = PACKS.filter(({ id }) => chosen.includes(id));
      const written = await writeProjectFiles(
        context,
        root,
        starterFiles(packs, detected.testCommand),
      );
      for (const { path, what } of written.files) {
        const mark = what === 'created' ? paint(context, 'green', '+') : paint(context, 'dim', '=');
        context.out(
          `${mark} .supervisor/${path}${what === 'created' ? '' : ' (exists, not changed)'}\n`,
        );
      }
      if (!written.isTrusted)
        context.out(
          `Some of these files are not trusted yet. Review them with: supervisor trust ${shellWord(root)}\n`,
        );
      context.out('List the roles with: supervisor roles\n');
      finish(EXIT.ok);
    });
}

async function detect(root: string): Promise<Detected> {
  const view = await openProject(root, new ContextCache());
  const texts = new Map<string, string>();
  for (const path of view.paths.filter(isManifest).slice(0, MANIFESTS_MAX)) {
    const seen = await view.read(path, { named: true });
    if (seen.kind === 'text') texts.set(path, seen.text);
  }
  return detectProject({ paths: view.paths, texts });
}

const MANIFESTS_MAX = 500;

function label(title: string, roles: readonly string[]): string {
  return `${title} (${roles.join(', ')})`;
}

/** Prints the packs without asking, and returns the suggested ones. */
function suggest(context: CliContext, { packs }: Detected): readonly PackId[] {
  for (const { id, title, roles } of PACKS) {
    const why = packs.get(id);
    const box = why === undefined ? '[ ]' : '[x]';
    context.out(
      `  ${box} ${label(title, roles)}${why === undefined ? '' : paint(context, 'dim', `  ${why}`)}\n`,
    );
  }
  return [...packs.keys()];
}

/** Undefined if the user canceled. */
async function ask({ packs }: Detected): Promise<readonly PackId[] | undefined> {
  const { isCancel, multiselect } = await import('@clack/prompts');
  const answer = await multiselect<PackId>({
    message: 'Enable which role packs?',
    required: false,
    initialValues: [...packs.keys()],
    options: PACKS.map(({ id, title, roles }) => {
      const why = packs.get(id);
      return { value: id, label: label(title, roles), ...(why !== undefined && { hint: why }) };
    }),
  });
  return isCancel(answer) ? undefined : answer;
}

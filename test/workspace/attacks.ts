/**
 * Ways in which a repository makes git run a program, planted as an agent would plant them in its
 * own tree.
 */
import { chmod, mkdir, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

export type Attack = {
  /** Begins with its case in the list of abuse cases. */
  readonly name: string;
  /** `trap` is a program that leaves a mark; `work` is the agent's tree, with its own `.git`. */
  readonly plant: (given: Given) => Promise<void>;
  /** Whether careless use of git in that tree runs the trap: then the attack is a real one. */
  readonly worksOnPlainGit: boolean;
};

type Given = {
  readonly work: string;
  readonly trap: string;
  readonly git: (...args: readonly string[]) => Promise<string>;
};

const HOOKS = `
  pre-commit post-commit post-checkout post-index-change reference-transaction pre-push post-merge
  prepare-commit-msg commit-msg pre-auto-gc post-rewrite
`
  .trim()
  .split(/\s+/);

async function program(path: string, trap: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, `#!/bin/sh\nexec "${trap}"\n`);
  await chmod(path, 0o755);
}

export const ATTACKS: readonly Attack[] = [
  {
    name: 'case 4: hooks in .git/hooks',
    worksOnPlainGit: true,
    plant: async ({ work, trap }) => {
      for (const hook of HOOKS) await program(join(work, '.git', 'hooks', hook), trap);
    },
  },
  {
    name: 'case 5: core.hooksPath that leads into the tree',
    worksOnPlainGit: true,
    plant: async ({ work, trap, git }) => {
      for (const hook of HOOKS) await program(join(work, 'hooks', hook), trap);
      await git('config', 'core.hooksPath', 'hooks');
    },
  },
  {
    name: 'case 5: core.fsmonitor',
    worksOnPlainGit: true,
    plant: async ({ trap, git }) => void (await git('config', 'core.fsmonitor', trap)),
  },
  {
    name: 'case 5: filter.*.clean and .smudge by .gitattributes',
    worksOnPlainGit: true,
    plant: async ({ work, trap, git }) => {
      await git('config', 'filter.evil.clean', trap);
      await git('config', 'filter.evil.smudge', trap);
      await git('config', 'filter.evil.process', trap);
      await writeFile(join(work, '.gitattributes'), '* filter=evil\n');
    },
  },
  {
    name: 'case 5: diff.*.textconv by .git/info/attributes',
    worksOnPlainGit: true,
    plant: async ({ work, trap, git }) => {
      await git('config', 'diff.evil.textconv', trap);
      await mkdir(join(work, '.git', 'info'), { recursive: true });
      await writeFile(join(work, '.git', 'info', 'attributes'), '* diff=evil\n');
    },
  },
  {
    name: 'case 5: diff.*.command by .gitattributes',
    worksOnPlainGit: true,
    plant: async ({ work, trap, git }) => {
      await git('config', 'diff.evil.command', trap);
      await writeFile(join(work, '.gitattributes'), '* diff=evil\n');
    },
  },
  {
    name: 'case 5: diff.external',
    worksOnPlainGit: true,
    plant: async ({ trap, git }) => void (await git('config', 'diff.external', trap)),
  },
  {
    name: 'case 5: merge.*.driver by .gitattributes',
    worksOnPlainGit: true,
    plant: async ({ work, trap, git }) => {
      await git('config', 'merge.evil.driver', `${trap} %O %A %B`);
      await writeFile(join(work, '.gitattributes'), '* merge=evil\n');
    },
  },
  {
    name: 'case 5: include.path',
    worksOnPlainGit: true,
    plant: async ({ work, trap, git }) => {
      await writeFile(join(work, 'more.config'), `[core]\n\tfsmonitor = ${trap}\n`);
      await git('config', 'include.path', join(work, 'more.config'));
    },
  },
  {
    name: 'case 5: gpg.program',
    worksOnPlainGit: true,
    plant: async ({ trap, git }) => {
      await git('config', 'gpg.program', trap);
      await git('config', 'commit.gpgSign', 'true');
    },
  },
  {
    name: 'case 5: core.sshCommand and an ssh remote',
    worksOnPlainGit: true,
    plant: async ({ trap, git }) => {
      await git('config', 'core.sshCommand', trap);
      await git('config', 'remote.origin.url', 'ssh://host.invalid/x');
      await git('config', 'remote.origin.fetch', '+refs/heads/*:refs/remotes/origin/*');
    },
  },
  {
    name: 'case 5: core.pager, core.editor, core.askPass and credential.helper',
    worksOnPlainGit: true,
    plant: async ({ trap, git }) => {
      for (const key of ['core.pager', 'core.editor', 'core.askPass', 'sequence.editor'])
        await git('config', key, trap);
      await git('config', 'credential.helper', `!${trap}`);
    },
  },
  {
    name: 'case 5: aliases',
    worksOnPlainGit: false, // git allows no alias for a built-in command
    plant: async ({ trap, git }) => {
      for (const verb of ['diff-tree', 'ls-tree', 'update-index', 'cat-file', 'check-ignore'])
        await git('config', `alias.${verb}`, `!${trap}`);
    },
  },
  {
    name: 'case 7: a submodule whose address and update are commands',
    worksOnPlainGit: false, // newer gits refuse both
    plant: async ({ work, trap, git }) => {
      const lines = [
        '[submodule "evil"]',
        'path = evil',
        `url = ext::${trap}`,
        `update = !${trap}`,
      ];
      await writeFile(join(work, '.gitmodules'), `${lines.join('\n')}\n`);
      await git('config', 'submodule.evil.url', `ext::${trap}`);
      await git('config', 'submodule.evil.update', `!${trap}`);
      await git('config', 'protocol.ext.allow', 'always');
    },
  },
  {
    name: 'case 7: a repository inside the tree with hooks and a monitor',
    worksOnPlainGit: true,
    plant: async ({ work, trap, git }) => {
      await git('init', '--quiet', 'sub');
      await writeFile(join(work, 'sub', 'f'), 'x');
      await git('-C', 'sub', 'add', 'f');
      await git('-C', 'sub', 'commit', '--quiet', '--message=x');
      await git('-C', 'sub', 'config', 'core.fsmonitor', trap);
    },
  },
  {
    name: 'case 6: .git replaced by a symlink to an evil repository',
    worksOnPlainGit: true,
    plant: async ({ work, trap, git }) => {
      await git('config', 'core.fsmonitor', trap);
      await rename(join(work, '.git'), join(work, 'elsewhere'));
      await symlink('elsewhere', join(work, '.git'));
    },
  },
  {
    name: 'case 6: .git replaced by a file that points to an evil repository',
    worksOnPlainGit: true,
    plant: async ({ work, trap, git }) => {
      await git('config', 'core.fsmonitor', trap);
      await rename(join(work, '.git'), join(work, 'elsewhere'));
      await writeFile(join(work, '.git'), 'gitdir: elsewhere\n');
    },
  },
  {
    name: 'case 5: alternates with a command for their refs',
    worksOnPlainGit: false, // it runs only when a repository with alternates fetches
    plant: async ({ work, trap, git }) => {
      await git('config', 'core.alternateRefsCommand', trap);
      const info = join(work, '.git', 'objects', 'info');
      await mkdir(info, { recursive: true });
      await writeFile(join(info, 'alternates'), `${join(work, 'objects')}\n`);
    },
  },
  {
    name: 'case 5: replace refs, grafts and a lying index',
    worksOnPlainGit: false, // no program: they make git see other content
    plant: async ({ work, git }) => {
      const head = (await git('rev-parse', 'HEAD')).trim();
      const tree = (await git('mktree', '--missing')).trim();
      const empty = (await git('commit-tree', '-m', 'nothing', tree)).trim();
      await git('replace', head, empty);
      await git('update-index', '--assume-unchanged', 'a.txt');
      await rm(join(work, '.git', 'index'));
    },
  },
];

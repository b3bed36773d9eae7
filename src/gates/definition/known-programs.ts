/** Programs by what a check that starts them depends on. A program that is in no list can't be followed. */
import { RUNNERS } from './program-settings.ts';

function names(text: string): ReadonlySet<string> {
  return new Set(text.trim().split(/\s+/));
}

/** They only start another program: flags and values that look like settings come first. */
export const WRAPPERS = names(`
  env timeout gtimeout nice ionice nohup time stdbuf xvfb-run exec command builtin setsid unbuffer sudo
  cross-env cross-env-shell dotenv env-cmd nodenv-exec catchsegv faketime chronic script chrt taskset
  pyenv rbenv nodenv asdf mise rtx poetry pipenv uv hatch pdm rye bundle direnv corepack c8 nyc
`);

/** Of those: the word that comes before the program. */
export const WRAPPER_VERBS: Readonly<Record<string, ReadonlySet<string>>> = {
  poetry: names('run'),
  pipenv: names('run'),
  uv: names('run'),
  hatch: names('run test'),
  pdm: names('run'),
  rye: names('run'),
  bundle: names('exec'),
  pyenv: names('exec'),
  rbenv: names('exec'),
  asdf: names('exec'),
  mise: names('exec x run'),
  rtx: names('exec x'),
  direnv: names('exec'),
};

export const SHELLS = names('sh bash dash zsh ksh ash busybox');
export const MAKE_PROGRAMS = names('make gmake');
export const NODE_PROGRAMS = names(
  'node nodejs tsx ts-node ts-node-esm esno babel-node swc-node electron',
);
export const LANGUAGES = names('ruby perl php lua luajit Rscript julia groovy raku');
export const PYTHON_PROGRAMS = /^(?:python|pypy)[\d.]*$/;
export const PACKAGE_RUNNERS = names('npm pnpm yarn bun');
export const PACKAGE_STARTERS = names('npx pnpx bunx dlx');
/** They run scripts of package.json by name. */
export const SCRIPT_RUNNERS = names(
  'run-s run-p npm-run-all npm-run-all2 concurrently turbo lerna wireit wsrun ultra nx',
);

/** Each reads its tasks from files of these names, in the folder where it is started or above. */
export const TASK_FILES: Readonly<Record<string, readonly string[]>> = {
  make: ['GNUmakefile', 'makefile', 'Makefile'],
  gmake: ['GNUmakefile', 'makefile', 'Makefile'],
  just: ['justfile', 'Justfile', '.justfile', 'JUSTFILE'],
  task: [
    'Taskfile.yml',
    'Taskfile.yaml',
    'taskfile.yml',
    'taskfile.yaml',
    'Taskfile.dist.yml',
    'Taskfile.dist.yaml',
  ],
  rake: ['Rakefile', 'rakefile', 'Rakefile.rb', 'rakefile.rb'],
  tox: ['tox.ini', 'tox.toml'],
  nox: ['noxfile.py'],
  inv: ['tasks.py'],
  invoke: ['tasks.py'],
  doit: ['dodo.py'],
  mage: ['magefile.go'],
  gulp: ['gulpfile.js', 'gulpfile.mjs', 'gulpfile.cjs', 'gulpfile.ts'],
  grunt: ['Gruntfile.js', 'gruntfile.js', 'Gruntfile.cjs'],
  jake: ['Jakefile', 'Jakefile.js'],
};

/** A program may be called `constructor`, which every object has. */
export function hasTasks(name: string): boolean {
  return Object.hasOwn(TASK_FILES, name);
}

/** Of the runners: what is named to them are tests, not the work. */
export const TEST_RUNNERS = names(`
  jest vitest mocha ava tap borp uvu jasmine cypress playwright qunit pytest py.test nosetests nose2 green ward
  behave robot rspec minitest cucumber phpunit pest bats busted ts-mocha cucumber-js react-scripts testcafe
`);

/** They judge nothing by files of the project, or only what is named to them. */
const HARMLESS_PROGRAMS = names(`
  true false : test [ [[ echo printf cat grep egrep fgrep rg ag sed awk gawk cut tr sort uniq head tail wc tee diff
  cmp comm ls stat file du df date sleep pwd mkdir rmdir rm cp mv ln touch chmod chown mktemp basename dirname
  realpath readlink which type hash set unset export readonly local declare typeset shift return exit break
  continue trap wait kill jobs umask ulimit read getopts alias unalias let expr seq yes id whoami uname hostname
  tty stty tput clear printenv jq yq xmllint git tar gzip gunzip zcat zip unzip xz curl wget nc md5sum sha1sum
  sha256sum shasum cksum base64 od xxd hexdump strings nl paste join column fold fmt tac rev shuf split
  patch sqlite3 psql mysql redis-cli openssl ssh-keygen ps pgrep pkill top free lsof
  install rsync sync dd truncate fallocate find xargs eval source . cd pushd popd dirs logout shopt
  complete compgen bind enable caller mapfile readarray times history fc disown suspend select
  rimraf mkdirp shx cpy del-cli wait-on http-server serve pip pip3 gem
`);

/** Of those: they print files, often lists of what is to be checked. */
export const READING_PROGRAMS = names(
  'cat head tail sed awk gawk grep cut tr sort uniq jq yq diff cmp tac',
);

export function isKnownProgram(name: string): boolean {
  return (
    HARMLESS_PROGRAMS.has(name) ||
    RUNNERS.has(name) ||
    WRAPPERS.has(name) ||
    SHELLS.has(name) ||
    NODE_PROGRAMS.has(name) ||
    LANGUAGES.has(name) ||
    PACKAGE_RUNNERS.has(name) ||
    PACKAGE_STARTERS.has(name) ||
    SCRIPT_RUNNERS.has(name) ||
    PYTHON_PROGRAMS.test(name) ||
    hasTasks(name)
  );
}

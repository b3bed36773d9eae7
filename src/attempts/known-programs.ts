/** Programs by what a check that starts them depends on. A program that is in no list can't be followed. */

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
export const MAKES = names('make gmake');
export const NODES = names('node nodejs tsx ts-node ts-node-esm esno babel-node swc-node electron');
export const LANGUAGES = names('ruby perl php lua luajit Rscript julia groovy raku');
export const PYTHON = /^(?:python|pypy)[\d.]*$/;
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
  cargo: ['.cargo/config.toml', '.cargo/config'],
};

/** A program may be called `constructor`, which every object has. */
export function hasTasks(name: string): boolean {
  return Object.hasOwn(TASK_FILES, name);
}

/** Runners and checkers whose settings are in the list of settings; the rest of what they read is the work or its tests. */
export const RUNNERS = names(`
  jest vitest mocha ava tap borp uvu jasmine karma cypress playwright wdio testcafe web-test-runner wtr qunit c8 nyc
  stryker eslint oxlint biome prettier oxfmt standard xo stylelint tsc vue-tsc svelte-check tsd attw knip jscpd
  dpdm madge depcheck publint size-limit markdownlint markdownlint-cli2 textlint cspell commitlint webpack rollup
  esbuild swc babel vite tsup tsdown next nuxt astro rspack rsbuild parcel metro
  pytest py.test nosetests nose2 green coverage ward behave robot hypothesis mypy pyright basedpyright pyre
  ruff black isort flake8 pylint bandit pydocstyle pycodestyle autopep8 yapf vulture djlint sqlfluff pre-commit
  go gofmt goimports golangci-lint staticcheck gotestsum ginkgo
  cargo cargo-nextest nextest rustc rustfmt clippy-driver
  mvn mvnw gradle gradlew sbt lein clojure ant dotnet nunit3-console vstest.console
  rspec minitest cucumber rubocop standardrb reek brakeman sorbet srb steep
  phpunit pest phpstan psalm phpcs php-cs-fixer composer
  mix rebar3 elixir swift xcodebuild dart flutter zig bats shellcheck shfmt hadolint actionlint yamllint
  deno busted luacheck stack cabal hlint ghc ocaml dune nim nimble crystal v julia R
  helm kubeconform terraform tofu tflint ansible-lint buf protolint
`);

/** Of those: what is named to them are tests, not the work. */
export const TEST_RUNNERS = names(`
  jest vitest mocha ava tap borp uvu jasmine cypress playwright qunit pytest py.test nosetests nose2 green ward
  behave robot rspec minitest cucumber phpunit pest bats busted
`);

/** They judge nothing by files of the project, or only what is named to them. */
export const HARMLESS = names(`
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

export function isKnown(name: string): boolean {
  return (
    HARMLESS.has(name) ||
    RUNNERS.has(name) ||
    WRAPPERS.has(name) ||
    SHELLS.has(name) ||
    NODES.has(name) ||
    LANGUAGES.has(name) ||
    PACKAGE_RUNNERS.has(name) ||
    PACKAGE_STARTERS.has(name) ||
    SCRIPT_RUNNERS.has(name) ||
    PYTHON.test(name) ||
    hasTasks(name)
  );
}

/**
 * Files that run by themselves: an editor, a shell, git, a package manager, an agent CLI or a CI server reads them
 * and runs what they name, without a person asking for it. This is the only list of them.
 */
import { foldName } from '../path-rules.ts';

type Rule = {
  /** Completes "it is …". */
  readonly why: string;
  /** Names of files or folders, at any depth. A folder includes everything in it. */
  readonly names: ReadonlySet<string>;
  /** Matched against the whole folded path, where a name alone is not enough. */
  readonly patterns?: readonly RegExp[];
  /** Files of the tree that such a file names are started with it. */
  readonly startsOthers?: true;
};

function nameSet(text: string): ReadonlySet<string> {
  return new Set(text.trim().split(/\s+/));
}

/** All names are lower case, because paths are folded before they are compared. */
const RULES: readonly Rule[] = [
  {
    why: 'read by an editor, which can start tasks from it',
    names: nameSet(`
      .vscode .vscode-test.mjs .idea .run .fleet .zed .vs .devcontainer .devcontainer.json .exrc
      .vimrc .nvimrc .nvim.lua .lvimrc .gvimrc .dir-locals.el .dir-locals-2.el .gitpod.yml
      .gitpod.dockerfile .theia .projectile .lazy.lua .ycm_extra_conf.py coc-settings.json .helix
      .gitpod .nova .vim _vimrc _exrc .neoconf.json .nlsp.json .lite_project.lua .project .classpath
      .factorypath .externaltoolbuilders nbproject nbactions.xml .replit replit.nix .stackblitzrc
      .codesandbox .idx devfile.yaml .devfile.yaml rust-analyzer.toml .rust-analyzer.toml
      rust-project.json .rust-project.json .sourcekit-lsp .luarc.json .luarc.jsonc .merlin hie.yaml
      .solargraph.yml
    `),
    patterns: [
      /\.(?:code-workspace|sublime-project|sublime-build|iml)$/,
      /(?:^|\/)\.settings\/org\.eclipse[^/]*$/,
    ],
    startsOthers: true,
  },
  {
    why: 'read by a coding agent: settings, hooks or instructions',
    names: nameSet(`
      .claude .claude.json .claude-plugin .codex .gemini .geminiignore .qwen .copilot .opencode
      opencode.json opencode.jsonc .mcp.json mcp.json .cursor .cursorrules .windsurf
      .windsurfrules .cline .clinerules .roo .roomodes .roorules .kilocode .kiro .continue
      .continuerc.json .goose .goosehints .amp .crush.json crush.json .crush .factory .junie
      .augment .augment-guidelines .trae .agents .agent .amazonq .aider.conf.yml
      .aider.model.settings.yml agents.md agents.override.md agent.md claude.md claude.local.md
      gemini.md qwen.md crush.md .openhands .rules .warp warp.md .jules .rovodev .aiassistant
      .codebuddy codebuddy.md .iflow iflow.md .pi .firebender .tabnine replit.md
    `),
    patterns: [/(?:^|\/)\.github\/(?:copilot|instructions|prompts|chatmodes|agents|hooks)/],
    startsOthers: true,
  },
  {
    why: 'run or read by the shell on entering the folder',
    names: nameSet(`
      .envrc .env.fish .autoenv .autoenv.zsh .tool-versions mise.toml .mise.toml mise.local.toml
      .mise.local.toml .mise .rtx.toml .asdfrc devbox.json devenv.nix flake.nix shell.nix .bashrc
      .bash_profile .bash_login .bash_logout .profile .zshrc .zshenv .zprofile .zlogin .inputrc
      .gdbinit .lldbinit .irbrc .pryrc .pdbrc .pythonrc .psqlrc .netrc .curlrc .wgetrc
      .rprofile .renviron .ghci .iex.exs .flaskenv .user.ini .htaccess
    `),
    patterns: [
      /(?:^|\/)\.config\/(?:mise|fish|direnv)(?:\/|$)/,
      /(?:^|\/)\.env(?:\.(?!example$|sample$|template$|dist$)[^/]+)?$/,
    ],
    startsOthers: true,
  },
  {
    why: 'a git hook, or decides which hooks and filters git runs',
    names: nameSet(`
      .husky .huskyrc .huskyrc.json .huskyrc.js .githooks .git-hooks githooks git-hooks .hooks
      .lefthook .lefthook-local .pre-commit-config.yaml .pre-commit-config.yml
      .pre-commit-hooks.yaml .overcommit.yml .simple-git-hooks.json .simple-git-hooks.js
      .simple-git-hooks.cjs .lintstagedrc .gitattributes .gitmodules .gitconfig .lfsconfig
      .gitlint .hg .hgrc .jj
    `),
    patterns: [
      /(?:^|\/)\.?lefthook(?:-local)?\.(?:ya?ml|toml|json)$/,
      /(?:^|\/)(?:\.lintstagedrc|lint-staged\.config|simple-git-hooks|\.commitlintrc|commitlint\.config)\.[a-z]+$/,
      /(?:^|\/)hooks\/(?:applypatch-msg|pre-applypatch|post-applypatch|pre-commit|pre-merge-commit|prepare-commit-msg|commit-msg|post-commit|pre-rebase|post-checkout|post-merge|pre-push|pre-receive|update|post-receive|post-update|push-to-checkout|pre-auto-gc|post-rewrite|sendemail-validate|fsmonitor-watchman)$/,
    ],
    startsOthers: true,
  },
  {
    why: 'run by a CI or deployment service',
    names: nameSet(`
      .gitlab-ci.yml .gitlab-ci.yaml .gitlab .circleci .travis.yml .drone.yml .drone.jsonnet
      .buildkite .semaphore .teamcity .ci .cirrus.yml .cirrus.star appveyor.yml .appveyor.yml
      bitbucket-pipelines.yml buildspec.yml buildspec.yaml cloudbuild.yaml cloudbuild.yml
      netlify.toml vercel.json render.yaml fly.toml procfile .builds .build.yml .harness .tekton
      .prow.yaml .readthedocs.yml .readthedocs.yaml codemagic.yaml bitrise.yml wercker.yml
      .scrutinizer.yml bamboo-specs amplify.yml railway.json railway.toml nixpacks.toml heroku.yml
      wrangler.toml wrangler.json wrangler.jsonc .platform.app.yaml .ebextensions .mergify.yml
    `),
    patterns: [
      /(?:^|\/)\.(?:github|gitea|forgejo)\/(?:workflows|actions)(?:\/|$)/,
      /(?:^|\/)\.github\/dependabot\.ya?ml$/,
      /(?:^|\/)action\.ya?ml$/,
      /(?:^|\/)azure-pipelines[^/]*\.ya?ml$/,
      /(?:^|\/)\.azure-?pipelines(?:\/|$)/,
      /(?:^|\/)jenkinsfile[^/]*$/,
      /(?:^|\/)\.woodpecker(?:\.ya?ml)?(?:\/|$)/,
      /(?:^|\/)\.?renovate(?:rc)?(?:\.json5?)?$/,
    ],
  },
  {
    why: 'settings of a package manager, which can name programs to run',
    names: nameSet(`
      .npmrc .yarnrc .yarnrc.yml .yarn .pnp.cjs .pnp.js .pnp.loader.mjs .pnpmfile.cjs
      .pnpmfile.mjs pnpmfile.js pnpm-workspace.yaml bunfig.toml .bundle .cargo rust-toolchain
      rust-toolchain.toml pip.conf pip.ini .pypirc uv.toml poetry.toml .mvn nuget.config
      global.json binding.gyp .sbtopts .jvmopts dotnet-tools.json
    `),
  },
  {
    why: 'run by a build tool or a package manager on install, build or import',
    names: nameSet(`
      setup.py build.rs extconf.rb sitecustomize.py usercustomize.py gradlew gradlew.bat mvnw
      mvnw.cmd gradle.properties init.gradle directory.build.props directory.build.targets
      cmakepresets.json cmakeuserpresets.json wscript gemfile mix.exs package.swift .bazelrc
      cmakelists.txt meson.build build.zig pom.xml build.xml build.sbt gems.rb podfile fastfile
      setup.hs setup.lhs config.nims makefile.pl build.pl rebar.config rebar.config.script
      project.clj build.boot deps.edn bb.edn shadow-cljs.edn dune dune-project dune-workspace
      vagrantfile brewfile
    `),
    patterns: [
      // Editors evaluate these files when they open the project, and they can start programs.
      /\.(?:cs|fs|vb|vcx|sql|es|wix|njs|shared?|pbx)?proj(?:\.user)?$/,
      /\.(?:props|targets|cmake|gemspec|nimble|nims|sbt|xcscheme|xcconfig)$/,
      /(?:^|\/)project\/(?:build\.properties|[^/]+\.scala)$/,
      /\.pth$/,
      /(?:^|\/)[^/]+\.(?:dist|egg)-info(?:\/|$)/,
      /(?:^|\/)gradle\/(?:wrapper|init\.d)(?:\/|$)/,
      /(?:^|\/)(?:build|settings|init)\.gradle(?:\.kts)?$/,
      /(?:^|\/)buildsrc(?:\/|$)/,
    ],
  },
  {
    why: 'a setting that is code or names code: editors load it when they open a file',
    names: nameSet(`
      .formatter.exs .credo.exs .rubocop.yml .standard.yml .rspec .yardopts
    `),
    patterns: [
      /(?:^|\/)(?:eslint|prettier|stylelint|tailwind|postcss|svelte|astro|vite|vitest|jest|playwright|babel|graphql|nuxt|next|metro|webpack|rollup)\.config\.[cm]?[jt]s$/,
      /(?:^|\/)(?:vitest|vite)\.workspace\.[cm]?[jt]s$/,
      /(?:^|\/)\.(?:eslintrc|prettierrc|stylelintrc|babelrc|graphqlrc|mocharc|swcrc)(?:\.[a-z0-9]+)?$/,
      /(?:^|\/)\.php-cs-fixer(?:\.dist)?\.php$/,
    ],
  },
  {
    why: 'a file of tasks: it decides what a command such as make or just runs',
    names: nameSet(`
      makefile gnumakefile bsdmakefile justfile .justfile rakefile noxfile.py tox.ini magefile.go
      earthfile tiltfile dodo.py fabfile.py rakefile.rb jakefile jakefile.js tox.toml
    `),
    patterns: [
      /(?:^|\/)(?:gulpfile|gruntfile)(?:\.babel)?\.(?:[cm]?[jt]s|coffee)$/,
      /(?:^|\/)tools\/bazel$/,
      // Invoke reads this file at the top level. Deeper, Celery uses the same name for its tasks.
      /^tasks\.py$/,
      /(?:^|\/)taskfile(?:\.dist)?\.ya?ml$/,
      /\.(?:mk|mak|just)$/,
    ],
  },
  {
    why: 'part of what is installed: its programs are started by name',
    names: nameSet(`
      node_modules .venv venv .virtualenv __pypackages__ .direnv
    `),
  },
];

const SETTINGS_FOLDER = '.supervisor';
/** A short name that Windows may resolve to another file: `VSCODE~1`. */
const SHORT_NAME = /^[^~]{1,6}~\d+$/;

export type ExecutingFile = {
  readonly needs: 'settings' | 'executing';
  readonly why: string;
  readonly startsOthers: boolean;
};

/** Why a file with this path runs by itself. Undefined if it does not. */
export function executingFile(path: string): ExecutingFile | undefined {
  const steps = foldedSteps(path);
  if (steps.includes(SETTINGS_FOLDER))
    return { needs: 'settings', why: 'a setting of supervisor itself', startsOthers: true };
  const folded = steps.join('/');
  const rule = RULES.find(
    ({ names, patterns = [] }) =>
      steps.some((step) => names.has(step)) || patterns.some((one) => one.test(folded)),
  );
  if (rule !== undefined)
    return { needs: 'executing', why: rule.why, startsOthers: rule.startsOthers === true };
  if (steps.some((step) => SHORT_NAME.test(step)))
    return {
      needs: 'executing',
      why: 'a short name that Windows may take for another file',
      startsOthers: false,
    };
  return undefined;
}

/** The names of a path, folded as the most lenient file system compares them. */
function foldedSteps(path: string): readonly string[] {
  return path.split(/[/\\]/).map((step) => foldName(step));
}

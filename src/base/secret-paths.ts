/**
 * The list of the user's files that a sandbox must not get. `secret`: a program that reads it can act as
 * the user, so it is never mounted. `starts`: other programs load it automatically, so a program that writes
 * it runs code as the user later. It may be mounted read-only.
 */
import { join, normalize } from 'node:path';

type SecretKind = 'secret' | 'starts';

/** In a user's home: keys, logins, password stores, state of agent CLIs, browsers, mail, histories. */
const SECRETS: readonly string[] = [
  ...names(`
    .ssh .gnupg .aws .azure .kube .docker .oci .s3cfg .boto .netrc _netrc .authinfo .authinfo.gpg
    .git-credentials .git-credential-cache .config/git/credentials .cache/git/credential .config/gcloud
    .config/gh .config/glab-cli .config/hub .config/containers/auth.json .config/rclone .config/sops .config/op
    .config/doctl .config/heroku .config/fly .fly .terraform.d .terraformrc .vault-token .npmrc .yarnrc.yml
    .config/yarn .pypirc .config/pip .pip .cargo/credentials .cargo/credentials.toml .gem/credentials
    .bundle/config .m2/settings.xml .m2/settings-security.xml .gradle/gradle.properties .nuget/NuGet
    .composer/auth.json .config/composer/auth.json .pgpass .my.cnf .mylogin.cnf
    .password-store .local/share/keyrings .local/share/kwalletd .config/keepassxc .config/Bitwarden
    Library/Keychains
    .claude .claude.json .config/claude .codex .gemini .copilot .config/github-copilot .config/opencode
    .local/share/opencode .qwen .cline .aider.conf.yml .cursor
    .mozilla .thunderbird .config/google-chrome .config/chromium .config/BraveSoftware .config/microsoft-edge
    .config/vivaldi .config/opera snap .var/app Library/Safari Library/Cookies
    .bash_history .zsh_history .zhistory .history .sh_history .local/share/fish .python_history
    .node_repl_history .psql_history .mysql_history .sqlite_history .rediscli_history .lesshst .viminfo
  `),
  'Library/Application Support/Google/Chrome',
  'Library/Application Support/Firefox',
  'Library/Application Support/BraveSoftware',
  'Library/Application Support/Claude',
];

/** In a user's home: loaded or run automatically when a shell, a session, an editor or git starts. */
const STARTS: readonly string[] = [
  ...names(`
    .bashrc .bash_profile .bash_login .bash_logout .bash_aliases .bash_completion .profile .inputrc .zshrc
    .zshenv .zprofile .zlogin .zlogout .oh-my-zsh .zsh .cshrc .tcshrc .login .kshrc .config/fish
    .config/nushell .config/powershell .config/starship.toml .config/direnv .envrc .pam_environment .xprofile
    .xsession .xsessionrc .xinitrc .Xresources .config/autostart .config/autostart-scripts
    .config/plasma-workspace .config/systemd .config/environment.d .config/i3 .config/sway .config/hypr
    .local/share/systemd .local/share/applications .local/share/dbus-1 Library/LaunchAgents bin .local/bin
    .local/lib .bin .cargo/bin .cargo/env .cargo/config .cargo/config.toml .rustup/toolchains .nvm .volta .fnm
    .asdf .local/share/mise .pyenv .rbenv .sdkman .deno .bun .npm-global .node_modules .npm/_npx go/bin
    .gitconfig .config/git .hgrc .tmux.conf .config/tmux .screenrc .vimrc .vim .gvimrc .config/nvim
    .local/share/nvim .emacs .emacs.d .config/emacs .nanorc .lesskey .lessfilter .gdbinit .config/gdb .lldbinit
    .pythonrc .pdbrc .irbrc .pryrc .Rprofile .psqlrc .vscode .vscode-server .config/Code .config/VSCodium
    .config/zed .config/JetBrains .mcp.json
  `),
  'Library/Application Support/Code',
];

/** Parts of the above that contain programs and no login: a CLI may be installed there. */
const HARMLESS: readonly string[] = ['.claude/local', '.cursor/extensions'];

/** Paths of the whole machine. */
const MACHINE_SECRETS: readonly string[] = [
  ...names(`
    /etc/shadow /etc/gshadow /etc/sudoers /etc/sudoers.d /etc/ssh /etc/ssl/private /etc/pki/tls/private
    /etc/krb5.keytab /etc/docker /etc/kubernetes /var/lib/docker /var/lib/containers /var/lib/kubelet
    /var/spool/mail /var/mail
  `),
];
const MACHINE_STARTS: readonly string[] = [
  ...names(`
    /etc /usr /bin /sbin /lib /lib32 /lib64 /libx32 /boot /run/systemd /var/lib/dpkg /var/lib/systemd
    /var/spool/cron /Library /System
  `),
];
/** Folders that are too broad in any mode. Their content may be mounted. */
const MACHINE_WHOLE: readonly string[] = [
  ...names(`
    / /etc /home /root /run /var /var/run /var/lib /boot /Users /private /private/var
  `),
];
/** Folders of the kernel, refused in any mode with all their content. */
const KERNEL: readonly string[] = ['/proc', '/sys', '/dev'];

/** Whether the path itself is a folder of the machine that every program shares, such as / or /etc. */
export function isMachineFolder(path: string): boolean {
  return MACHINE_WHOLE.includes(path) || KERNEL.includes(path);
}

export type SecretRoots = {
  /** The user's home folder. */
  readonly userDir: string;
  /** A path without symlinks; undefined if it does not exist. */
  readonly realPath: (path: string) => string | undefined;
};

type ProtectedPath = { readonly path: string; readonly kind: SecretKind; readonly exists: boolean };

export type SecretPaths = {
  readonly homes: readonly string[];
  readonly protectedPaths: readonly ProtectedPath[];
  readonly realPath: SecretRoots['realPath'];
};

/**
 * Why a path must not be mounted in this mode, as the rest of a sentence that starts with the path. Undefined
 * if it may. A folder that contains a secret is refused like the secret: read-only only while the secret exists,
 * writable always, because the sandbox could create the file.
 */
export function sharingObjection(
  path: string,
  mode: 'ro' | 'rw',
  { homes, protectedPaths, realPath }: SecretPaths,
): string | undefined {
  for (const one of distinct([normalize(path), realPath(path)])) {
    if (MACHINE_WHOLE.includes(one) || KERNEL.some((folder) => isWithin(one, folder)))
      return 'belongs to the machine';
    const home = homes.find((folder) => isWithin(folder, one));
    if (home !== undefined)
      return one === home ? 'is your whole home' : `contains your home ${home}`;
    if (isHarmless(one, homes)) continue;
    for (const { path: secret, kind, exists } of protectedPaths) {
      if (kind === 'starts' && mode === 'ro') continue;
      if (isWithin(one, secret))
        return kind === 'secret'
          ? `contains your keys or logins (${secret})`
          : `contains files that run automatically (${secret})`;
      if ((mode === 'rw' || exists) && isWithin(secret, one)) return `contains ${secret}`;
    }
  }
  return undefined;
}

/** All paths of the lists, as written and with links resolved. */
export function secretPaths({ userDir, realPath }: SecretRoots): SecretPaths {
  const homes = distinct([userDir, realPath(userDir)]);
  const all = (
    kind: SecretKind,
    machine: readonly string[],
    own: readonly string[],
  ): ProtectedPath[] =>
    [...machine, ...homes.flatMap((home) => own.map((name) => join(home, name)))].flatMap(
      (path) => {
        const real = realPath(path);
        const exists = real !== undefined;
        return distinct([path, real]).map((one) => ({ path: one, kind, exists }));
      },
    );
  const protectedPaths = [
    ...all('secret', MACHINE_SECRETS, SECRETS),
    ...all('starts', MACHINE_STARTS, STARTS),
  ];
  return { homes, protectedPaths, realPath };
}

function isHarmless(path: string, homes: readonly string[]): boolean {
  return homes.some((home) => HARMLESS.some((name) => isWithin(path, join(home, name))));
}

/** Whether a path is a folder or inside it. */
export function isWithin(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder.endsWith('/') ? folder : `${folder}/`);
}

function names(text: string): readonly string[] {
  return text.trim().split(/\s+/);
}

function distinct(paths: readonly (string | undefined)[]): readonly string[] {
  return [...new Set(paths.filter((path) => path !== undefined))];
}

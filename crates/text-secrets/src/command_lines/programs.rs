//! Programs and their options that take a secret.

/// Options and arguments of some programs that are secrets.
pub(super) struct ProgramRule {
    pub(super) programs: &'static [&'static [u8]],
    /// Words of which one must be among the arguments; none if the options always apply.
    pub(super) subcommands: &'static [&'static str],
    pub(super) options: &'static [CommandOption],
    /// Position of an argument that is secret.
    pub(super) position: Option<usize>,
}

/// An option with the form of its value.
pub(super) struct CommandOption {
    pub(super) name: &'static str,
    pub(super) form: OptionForm,
}

/// Form of the value of an option.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum OptionForm {
    /// The value is the secret, in the next word or attached.
    Value,
    /// The value is the secret, in the next word; the option is also the beginning of others.
    Separate,
    /// The value is the secret, and always attached.
    Attached,
    /// The secret is after a colon: `user:secret`.
    AfterColon,
    /// The secret is after a percent sign: `user%secret`.
    AfterPercent,
    /// The secret is after an equals sign: `name=secret`.
    AfterEquals,
    /// The secret is after a prefix: `pass:secret`.
    AfterPass,
}

const fn option(name: &'static str, form: OptionForm) -> CommandOption {
    CommandOption { name, form }
}

const fn options(
    programs: &'static [&'static [u8]],
    subcommands: &'static [&'static str],
    options: &'static [CommandOption],
) -> ProgramRule {
    ProgramRule { programs, subcommands, options, position: None }
}

const fn position(
    programs: &'static [&'static [u8]],
    subcommands: &'static [&'static str],
    nth: usize,
) -> ProgramRule {
    ProgramRule { programs, subcommands, options: &[], position: Some(nth) }
}

use OptionForm::{AfterColon, AfterEquals, AfterPass, AfterPercent, Attached, Separate, Value};

const USER_COLON: &[CommandOption] = &[
    option("-u", AfterColon),
    option("-U", AfterColon),
    option("--user", AfterColon),
    option("--proxy-user", AfterColon),
    option("--oauth2-bearer", Value),
];

const OPENSSL: &[CommandOption] = &[
    option("-passin", AfterPass),
    option("-passout", AfterPass),
    option("-pass", AfterPass),
    option("-password", AfterPass),
    option("-k", Separate),
    option("-K", Separate),
];

const KEYTOOL: &[CommandOption] = &[
    option("-storepass", Separate),
    option("-keypass", Separate),
    option("-srcstorepass", Separate),
    option("-deststorepass", Separate),
    option("-new", Separate),
];

#[rustfmt::skip]
pub(super) const PROGRAMS: &[ProgramRule] = &[
    options(&[b"curl"], &[], USER_COLON),
    options(&[b"http", b"https", b"httpie", b"xh", b"hey"], &[],
        &[option("-a", AfterColon), option("-A", AfterColon), option("--auth", AfterColon)]),
    options(&[b"sshpass"], &[], &[option("-p", Value)]),
    options(&[b"mysql", b"mysqldump", b"mysqladmin", b"mysqlimport", b"mysqlshow", b"mysqlcheck",
        b"mariadb", b"mariadb-dump", b"mariadb-admin", b"mycli", b"mysqlsh", b"mydumper"], &[],
        &[option("-p", Attached)]),
    options(&[b"mongo", b"mongosh", b"mongodump", b"mongorestore", b"mongoexport", b"mongoimport",
        b"twine", b"clickhouse-client", b"rdesktop", b"cqlsh", b"influx", b"ncftp", b"lftp"], &[],
        &[option("-p", Value)]),
    options(&[b"redis-cli", b"redis-benchmark", b"valkey-cli", b"keydb-cli"], &[],
        &[option("-a", Value), option("--pass", Value)]),
    options(&[b"docker", b"podman", b"nerdctl", b"buildah", b"skopeo", b"helm", b"oras", b"crane",
        b"az", b"oc", b"cf", b"argocd", b"ibmcloud", b"vault", b"nomad", b"rancher"], &["login"],
        &[option("-p", Value), option("--password", Value)]),
    options(&[b"openssl"], &[], OPENSSL),
    options(&[b"keytool", b"jarsigner", b"apksigner"], &[], KEYTOOL),
    options(&[b"zip", b"unzip", b"sqlcmd", b"bcp", b"osql", b"tsql", b"isql", b"mosquitto_pub",
        b"mosquitto_sub", b"ipmitool"], &[], &[option("-P", Value)]),
    options(&[b"7z", b"7za", b"7zz", b"7zr", b"rar", b"unrar"], &[],
        &[option("-p", Attached), option("-hp", Attached)]),
    options(&[b"ldapsearch", b"ldapmodify", b"ldapadd", b"ldapdelete", b"ldapwhoami",
        b"ldappasswd"], &[], &[option("-w", Value)]),
    options(&[b"smbclient", b"rpcclient", b"smbget", b"smbcacls", b"net", b"wmic", b"winexe"], &[],
        &[option("-U", AfterPercent)]),
    options(&[b"xfreerdp", b"xfreerdp3", b"wfreerdp"], &[], &[option("/p:", Attached)]),
    options(&[b"kubectl", b"oc", b"kustomize"], &[],
        &[option("--from-literal", AfterEquals)]),
    options(&[b"gh", b"flyctl", b"fly"], &["secret", "secrets"],
        &[option("--body", Value), option("-b", Value)]),
    options(&[b"crackmapexec", b"nxc", b"evil-winrm", b"hydra", b"medusa"], &[],
        &[option("-p", Value)]),
    options(&[b"restic", b"borg", b"duplicity"], &[], &[option("--password", Value)]),
    position(&[b"vault"], &["login"], 1),
    position(&[b"snyk"], &["auth"], 1),
    position(&[b"ngrok"], &["authtoken"], 1),
    position(&[b"ngrok"], &["add-authtoken"], 2),
    position(&[b"rabbitmqctl"], &["add_user", "change_password", "authenticate_user"], 2),
    position(&[b"htpasswd"], &["-b", "-bc", "-cb", "-bB", "-nb", "-Bb", "-nbB", "-bcB"], 3),
];

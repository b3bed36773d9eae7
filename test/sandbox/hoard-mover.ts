/**
 * A program that hides files from a count that walks through folders. It watches which folder is
 * opened, and keeps a folder of 60 MB in the one that is opened last. When a walk has left its
 * first folder, the hoard moves there, and when the walk is over it moves back.
 */
const PROGRAM = String.raw`
  use strict; use POSIX qw(uname);
  $| = 1;
  my $arm = (uname)[4] eq 'aarch64';
  my $queue = syscall($arm ? 26 : 294, 0);
  die "inotify: $!" if $queue < 0;
  open(my $events, '<&=', $queue) or die $!;
  my %name;
  for my $i (1..150) {
    my $folder = "d$i";
    mkdir $folder;
    for my $j (1..20) { open(my $h, '>', "$folder/$j") or die $! }
    my $watch = syscall($arm ? 27 : 254, $queue, $folder, 0x20 | 0x01000000);
    die "watch: $!" if $watch < 0;
    $name{$watch} = $folder;
  }
  print "watching\n";
  my (@order, $hoard, $last);
  my $wait = sub { my $bits = ''; vec($bits, $queue, 1) = 1; select($bits, undef, undef, $_[0]) };
  while (1) {
    if ($wait->(@order ? 0.05 : undef)) {
      sysread($events, my $bytes, 65536);
      for (my $at = 0; $at < length $bytes; ) {
        my ($watch, $mask, $cookie, $length) = unpack('iIII', substr($bytes, $at, 16));
        $at += 16 + $length;
        my $folder = $name{$watch} or next;
        push @order, $folder unless @order && $order[-1] eq $folder;
      }
      if ($hoard && $hoard eq $last && @order > 1) {
        rename "$last/hoard", "$order[0]/hoard" and $hoard = $order[0] if $order[0] ne $last;
      }
      next;
    }
    if (!defined $last && @order >= 150) {
      $last = $hoard = $order[-1];
      mkdir "$last/hoard" or die $!;
      if (!fork) {
        chdir "$last/hoard" or die $!;
        for my $i (1..12) { open(my $h, '>', $i) or die $!; syswrite($h, 'x' x 1000000) or die $! for 1..5 }
        print "all\n";
        exit 0;
      }
    }
    rename "$hoard/hoard", "$last/hoard" and $hoard = $last if $hoard && $hoard ne $last;
    @order = ();
  }
`;

/** For `sh`; it never ends by itself. */
export const HOARD_MOVER = `LC_ALL=C perl -e '${PROGRAM.replaceAll("'", `'"'"'`)}'`;

/**
 * The helper that starts programs, in Perl, which the usual systems have. A fork costs a process in proportion to its
 * memory, and a small one forks in a fraction of the time that Node needs.
 *
 * It reads frames `<bytes>\n<fields separated by NUL>` and writes lines: `s <id> <pid>` started, `x <id> <wait status>`
 * ended, `e <id> <errno>` not run, `f <id>` the streams could not be made. At the end of its input it kills what is left.
 */
export const starterProgram = String.raw`
use strict;
use POSIX ();
use Fcntl;
$^F = 2;
$SIG{PIPE} = 'IGNORE';
open(my $report, '>&', \*STDOUT) or exit 1;
open(my $null, '+<', '/dev/null') or exit 1;
POSIX::dup2(fileno($null), 1);
pipe(my $wake_in, my $wake) or exit 1;
fcntl($wake, F_SETFL, O_NONBLOCK | O_WRONLY);
$SIG{CHLD} = sub { local $!; syswrite($wake, '.'); };
my (%jobs, $input);
$input = '';
sub report { syswrite($report, $_[0]); }
sub child {
  my ($id, $cwd, $in, $out, $err, $argv, $env) = @_;
  POSIX::setsid();
  $SIG{CHLD} = $SIG{PIPE} = 'DEFAULT';
  if (chdir($cwd)) {
    POSIX::dup2(fileno($in), 0);
    POSIX::dup2(fileno($out), 1);
    POSIX::dup2(fileno($err), 2);
    %ENV = ();
    for (@$env) { $ENV{$1} = $2 if /^([^=]+)=(.*)$/s; }
    no warnings;
    exec { $argv->[0] } @$argv;
  }
  report('e ' . $id . ' ' . ($! + 0) . "\n");
  POSIX::_exit(127);
}
sub job {
  my ($id, $cwd, $out_path, $err_path, $kind, $text, $count, @rest) = split /\0/, $_[0], -1;
  my @argv = splice @rest, 0, $count;
  my $in;
  if ($kind eq 'text') {
    my $to;
    return report("f $id\n") unless pipe($in, $to);
    fcntl($to, F_SETFL, O_NONBLOCK | O_WRONLY);
    my $written = length($text) ? syswrite($to, $text) : 0;
    return report("f $id\n") unless defined $written && $written == length $text;
    close $to;
  } else {
    return report("f $id\n") unless sysopen($in, $text, O_RDONLY);
  }
  return report("f $id\n") unless sysopen(my $out, $out_path, O_WRONLY) && sysopen(my $err, $err_path, O_WRONLY);
  my $pid = fork;
  return report('e ' . $id . ' ' . ($! + 0) . "\n") unless defined $pid;
  child($id, $cwd, $in, $out, $err, \@argv, \@rest) if $pid == 0;
  $jobs{$pid} = $id;
  report("s $id $pid\n");
}
report("ready\n");
while (1) {
  my $ready = '';
  vec($ready, 0, 1) = 1;
  vec($ready, fileno($wake_in), 1) = 1;
  next if select($ready, undef, undef, undef) < 0;
  if (vec($ready, fileno($wake_in), 1)) {
    sysread($wake_in, my $ignored, 4096);
    while ((my $pid = waitpid(-1, POSIX::WNOHANG())) > 0) {
      my $status = $?;
      my $id = delete $jobs{$pid};
      report("x $id $status\n") if defined $id;
    }
  }
  if (vec($ready, 0, 1)) {
    my $read = sysread(STDIN, $input, 65536, length $input);
    next if !defined $read && $!{EINTR};
    last unless $read;
    while ($input =~ /^(\d+)\n/ && length($input) >= $+[0] + $1) {
      my ($start, $bytes) = ($+[0], $1);
      my $frame = substr($input, $start, $bytes);
      substr($input, 0, $start + $bytes) = '';
      job($frame);
    }
  }
}
kill 'KILL', map { -$_ } keys %jobs;
`;

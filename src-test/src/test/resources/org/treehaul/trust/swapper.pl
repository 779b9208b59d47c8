# SPDX-License-Identifier: Apache-2.0
#
# Plays the user who shares a directory with the one who copies, and puts symbolic links in the place of directories and
# files again and again, as fast as it can:
#
#   perl swapper.pl DIRECTORY FORBIDDEN DIRECTORIES FILES
#
# In DIRECTORY stand d0, d1, ... and in each f0, f1, ...; FORBIDDEN has the same names. Ends on TERM, or with the parent,
# puts everything back, and prints how often each trick worked.

use strict;
use warnings;
use POSIX ();

my ($base, $forbidden, $directories, $files) = @ARGV;
my $stop = 0;
$SIG{TERM} = sub { $stop = 1 };
my $parent = getppid();

# renameat2(2); the numbers are those of asm/unistd_64.h and asm-generic/unistd.h.
my $renameat2 = (POSIX::uname())[4] eq 'x86_64' ? 316 : 276;
my $fdcwd = -100;
my $exchange = 2;
sub exchange { return syscall($renameat2, $fdcwd, "$_[0]", $fdcwd, "$_[1]", $exchange) == 0 }

my %done = map { $_ => 0 } qw(exchanged-directory exchanged-file linked-file moved-directory nested-directory);
# Gives a directory its name back, or removes it where a new one has the name.
sub put_back {
    my ($away, $dir) = @_;
    return if rename($away, $dir);
    opendir(my $handle, $away) or return;
    unlink(map { "$away/$_" } readdir($handle));
    closedir($handle);
    rmdir($away);
}

sub count { $done{$_[0]}++ if $_[1] }

sub trick {
    my ($d, $f) = (int rand $directories, int rand $files);
    my $dir = "$base/d$d";
    my $kind = int rand 10;
    if ($kind < 4) {
        # A link changes places with the directory, and back.
        symlink("$forbidden/d$d", "$base/.l$d");
        if (exchange($dir, "$base/.l$d")) {
            count('exchanged-directory', 1);
            select(undef, undef, undef, rand 0.0003);
            exchange($dir, "$base/.l$d");
        }
    } elsif ($kind < 6) {
        symlink("$forbidden/d$d/f$f", "$dir/.l$f");
        count('exchanged-file', exchange("$dir/f$f", "$dir/.l$f") && exchange("$dir/f$f", "$dir/.l$f"));
        unlink("$dir/.l$f");
    } elsif ($kind < 8) {
        # The file goes away, so that it is made anew, and a link waits for it.
        rename("$dir/f$f", "$base/.f");
        count('linked-file', symlink("$forbidden/d$d/f$f", "$dir/f$f"));
        rename("$base/.f", "$dir/f$f");
    } elsif ($kind == 8) {
        # The directory goes away, so that it is made anew, and a link waits for it.
        if (rename($dir, "$base/.d")) {
            count('moved-directory', symlink("$forbidden/d$d", $dir));
            unlink($dir);
            put_back("$base/.d", $dir);
        }
    } else {
        # Deeper down, where its .. is another one.
        my $other = "$base/d" . (($d + 1) % $directories) . "/.d";
        if (rename($dir, $other)) {
            count('nested-directory', symlink("$forbidden/d$d", $dir));
            unlink($dir);
            put_back($other, $dir);
        }
    }
}

$| = 1;
print "ready\n";
trick() until $stop || getppid() != $parent;
for my $d (0 .. $directories - 1) {
    exchange("$base/d$d", "$base/.l$d") if -l "$base/d$d";
    put_back("$base/d$d/.d", "$base/d" . (($d + $directories - 1) % $directories));
    unlink("$base/.l$d", grep { -l $_ } glob("$base/d$d/{.l,f}*"));
}
print "$_ $done{$_}\n" for sort keys %done;

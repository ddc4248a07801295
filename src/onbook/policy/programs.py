"""The table of safe mode: every program a model may start without asking, and what of it.

An option that is not named here is refused, so the table says what is let through; dangerous options are named
too, for the sake of the reason. `words` says what the arguments that are no options mean.
"""

from typing import Literal

import msgspec

from onbook.policy.arguments import Options, options

Words = Literal["paths", "pattern", "text", "date", "one path", "none"]


class Program(msgspec.Struct, frozen=True):
    """One program of the table."""

    options: Options
    words: Words = "paths"
    pattern_options: frozenset[str] = frozenset()
    """Options that give the pattern, so that the first word is a path already."""
    tree: str = ""
    """It reads every file below a folder: `always`, or the options that make it do so, or `folders` it is given."""


_WRITES = "writes a file"
_LIST = "reads names of files from a file"
_FOLLOWS = "follows links out of the workspace"
_STARTS = "starts another program"
_ENDLESS = "does not end by itself"
_DIGITS = "0123456789"

PROGRAMS: dict[str, Program] = {
    "ls": Program(
        options(
            "aAbBcCdfFgGhiklmnNopqQrRsStuUvxXZ1I:w:T:",
            "all almost-all author escape block-size= ignore-backups color? directory classify? file-type format= "
            "full-time group-directories-first no-group human-readable si hide= hyperlink? "
            "indicator-style= inode ignore= kibibytes numeric-uid-gid literal hide-control-chars "
            "show-control-chars quote-name quoting-style= reverse recursive size sort= time= time-style= tabsize= "
            "width= context zero",
            L_H_dereference_dereference__command__line=_FOLLOWS,
        )
    ),
    "cat": Program(options("AbeEnstTuv", "show-all number-nonblank show-ends number squeeze-blank show-tabs")),
    "head": Program(options(_DIGITS + "n:c:qvz", "lines= bytes= quiet silent verbose zero-terminated")),
    "tail": Program(
        options(
            _DIGITS + "n:c:qvz",
            "lines= bytes= quiet silent verbose zero-terminated",
            f_F_follow_retry_pid_s=_ENDLESS,
        )
    ),
    "wc": Program(options("clmwL", "bytes chars lines words max-line-length total=", files0__from=_LIST)),
    "sort": Program(
        options(
            "bcCdfghiMmnRrsuVzk:t:",
            "ignore-leading-blanks check? dictionary-order ignore-case general-numeric-sort human-numeric-sort merge "
            "ignore-nonprinting month-sort numeric-sort random-sort reverse sort= stable unique version-sort "
            "zero-terminated key= field-separator= debug parallel=",
            o_output=_WRITES,
            T_temporary__directory="writes files elsewhere",
            compress__program=_STARTS,
            files0__from=_LIST,
            S_buffer__size="takes any amount of memory",
            random__source="reads any file",
        )
    ),
    "uniq": Program(
        options(
            "cdDiuzf:s:w:",
            "count repeated all-repeated? group? ignore-case unique zero-terminated skip-fields= skip-chars= "
            "check-chars=",
        ),
        words="one path",
    ),
    "diff": Program(
        options(
            _DIGITS + "abBcdeEfHinNpqrstTuwyZU:C:W:I:x:F:X@S:",
            "normal brief report-identical-files context? unified? ed rcs side-by-side width= left-column "
            "suppress-common-lines show-c-function show-function-line= label= expand-tabs initial-tab tabsize= "
            "recursive no-dereference new-file unidirectional-new-file ignore-file-name-case exclude= exclude-from@ "
            "starting-file= from-file@ to-file@ ignore-case ignore-tab-expansion ignore-trailing-space "
            "ignore-space-change ignore-all-space ignore-blank-lines ignore-matching-lines= text strip-trailing-cr "
            "minimal horizon-lines= speed-large-files color? palette=",
            l_paginate=_STARTS,
            o_output=_WRITES,
        ),
        tree="folders",
    ),
    "cmp": Program(options("bli:n:s", "print-bytes verbose ignore-initial= bytes= quiet silent")),
    "comm": Program(options("123z", "check-order nocheck-order output-delimiter= total zero-terminated")),
    "grep": Program(
        options(
            _DIGITS + "EFGPivwxcLlqsbHhnoaIrUzTyA:B:C:e:m:d:f@Z",
            "extended-regexp fixed-strings basic-regexp perl-regexp regexp= ignore-case no-ignore-case invert-match "
            "word-regexp line-regexp count color? colour? files-without-match files-with-matches max-count= "
            "only-matching quiet silent no-messages byte-offset with-filename no-filename label= line-number "
            "initial-tab null after-context= before-context= context= text binary-files= exclude= exclude-dir= "
            "include= recursive line-buffered null-data file@ exclude-from@ binary directories=",
            R_dereference__recursive=_FOLLOWS,
            D_devices="reads devices",
        ),
        words="pattern",
        pattern_options=frozenset({"-e", "-f", "--regexp", "--file"}),
        tree="-r --recursive -d --directories folders",
    ),
    "rg": Program(
        options(
            _DIGITS + "FivwxclqnNoaIHUPsSpA:B:C:e:m:g:t:T:r:M:d:E:j:f@u.0hV",
            "fixed-strings ignore-case invert-match word-regexp line-regexp count count-matches files-with-matches "
            "files-without-match quiet line-number no-line-number only-matching text with-filename no-filename "
            "multiline multiline-dotall pcre2 case-sensitive smart-case pretty after-context= before-context= context= "
            "regexp= max-count= glob= iglob= type= type-not= type-list replace= max-columns= max-columns-preview "
            "max-depth= encoding= threads= file@ hidden no-hidden no-ignore no-ignore-vcs unrestricted null json stats "
            "color= colors= column no-column heading no-heading vimgrep trim sort= sortr= files passthru crlf "
            "no-messages no-config ignore-file@ max-filesize= debug version help byte-offset line-buffered engine=",
            pre_pre__glob=_STARTS,
            hostname__bin=_STARTS,
            z_search__zip=_STARTS,
            L_follow=_FOLLOWS,
        ),
        words="pattern",
        pattern_options=frozenset({"-e", "-f", "--regexp", "--file", "--files", "--type-list"}),
        tree="always",
    ),
    "fd": Program(
        options(
            "HIupsigaFd:t:e:E:S:c:j:0lqh1V",
            "hidden no-ignore no-ignore-vcs unrestricted full-path case-sensitive ignore-case glob regex fixed-strings "
            "absolute-path max-depth= min-depth= exact-depth= type= extension= exclude= size= changed-within= "
            "changed-before= owner= color= threads= print0 list-details quiet max-results= search-path@ "
            "base-directory@ and= prune strip-cwd-prefix? one-file-system version help format=",
            x_exec_X_exec__batch=_STARTS,
            L_follow=_FOLLOWS,
            ignore__file="reads any file",
        ),
        words="pattern",
    ),
    "tree": Program(
        options(
            "adfxpsughDFvtcUrnCASiNqJXQL:P:I:H:T:",
            "noreport dirsfirst filesfirst du prune inodes device matchdirs ignore-case sort? timefmt= filelimit= "
            "gitignore charset= si version help",
            o=_WRITES,
            R="writes a file in every folder",
            l=_FOLLOWS,
            fromfile_fromtabfile=_LIST,
            gitfile_infofile="reads any file",
        )
    ),
    "file": Program(
        options(
            "bhikLNnrv0F:e:P:",
            "brief mime mime-type mime-encoding no-dereference dereference no-pad print0 raw separator= exclude= "
            "extension apple keep-going version help",
            C_compile=_WRITES,
            m_magic__file="reads any file",
            f_files__from=_LIST,
            z_Z_uncompress_uncompress__noreport=_STARTS,
            s_special__files="reads devices",
        )
    ),
    "stat": Program(options("Lftc:", "dereference file-system format= printf= terse cached=")),
    "du": Program(
        options(
            "0aAbB:chHklmPsSxt:d:",
            "null all apparent-size block-size= bytes total human-readable si dereference-args max-depth= "
            "no-dereference separate-dirs summarize one-file-system threshold= time? time-style= exclude= inodes",
            L_dereference=_FOLLOWS,
            files0__from=_LIST,
            X_exclude__from="reads any file",
        )
    ),
    "df": Program(
        options(
            "aB:hHiklPTt:x:",
            "all block-size= human-readable si inodes local portability print-type total type= output?",
        )
    ),
    "date": Program(
        options(
            "uRI?d:r@",
            "utc universal rfc-email iso-8601? rfc-3339= date= reference@",
            s_set="sets the clock",
            f_file=_LIST,
        ),
        words="date",
    ),
    "pwd": Program(options("LP", "logical physical"), words="none"),
    "whoami": Program(options(), words="none"),
    "nproc": Program(options("", "all ignore="), words="none"),
    "uname": Program(options("asnrvmpio", "all"), words="none"),
    "true": Program(options(), words="none"),
    "false": Program(options(), words="none"),
    "basename": Program(options("azs:", "multiple suffix= zero"), words="text"),
    "dirname": Program(options("z", "zero"), words="text"),
    "seq": Program(options("wf:s:" + _DIGITS, "equal-width format= separator="), words="text"),
    "cut": Program(
        options("szb:c:d:f:n", "bytes= characters= delimiter= fields= only-delimited complement output-delimiter=")
    ),
    "tr": Program(options("cCdst", "complement delete squeeze-repeats truncate-set1"), words="text"),
    "nl": Program(
        options("b:d:f:h:i:l:n:ps:v:w:", "body-numbering= number-format= number-width= starting-line-number=")
    ),
    "tac": Program(options("brs:", "before regex separator=")),
    "rev": Program(options()),
    "fold": Program(options("bsw:", "bytes spaces width=")),
    "paste": Program(options("d:sz", "delimiters= serial zero-terminated")),
    "expand": Program(options("it:", "initial tabs=")),
    "od": Program(options("A:bcdfij:lN:oS:st:vw?x", "address-radix= skip-bytes= read-bytes= strings= format= width?")),
    "hexdump": Program(options("bcCdovxn:s:e:", "canonical length= skip=", f_format__file="reads any file")),
    "strings": Program(options("afn:t:e:", "all print-file-name bytes= radix= encoding=")),
    "readlink": Program(options("femnqsvz", "canonicalize no-newline quiet silent verbose zero")),
    "realpath": Program(options("eLmPqsz", "canonicalize-existing logical physical quiet strip zero relative-to@")),
    "md5sum": Program(options("btz", "binary text tag zero", c_check=_LIST)),
    "sha1sum": Program(options("btz", "binary text tag zero", c_check=_LIST)),
    "sha256sum": Program(options("btz", "binary text tag zero", c_check=_LIST)),
    "cksum": Program(options("a:z", "algorithm= tag untagged zero", c_check=_LIST)),
}
ANYTHING_GOES = frozenset({"echo", "printf"})
"""Programs that only say what they are given."""
ALIASES = {"egrep": "grep", "fgrep": "grep", "fdfind": "fd", "gls": "ls", "ggrep": "grep"}
"""Other names of programs in the table."""

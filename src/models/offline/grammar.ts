/** What the offline model can be asked for; each becomes one tool call. */
export type StepKind =
  | "run"
  | "read"
  | "show-again"
  | "search"
  | "find-files"
  | "write"
  | "write-empty"
  | "append"
  | "list"
  | "changes"
  | "diff"
  | "log"
  | "where"
  | "date"
  | "delete"
  | "delete-folder"
  | "make-folder"
  | "count-lines";

/**
 * The whole grammar. A form is read word by word: `a|b` is a choice, `[a|b]` may be missing, `{path}`, `{text}`, `{pattern}` and
 * `{command}` are what is filled in. Anything in quotation marks or backticks is one value. The first form that fits counts.
 */
export const grammar: readonly (readonly [StepKind, readonly string[]])[] = [
  [
    "make-folder",
    [
      "create|make|add [me] [a] [new] folder|directory|dir [called|named] {path}",
      "创建|新建|建 [一个] [新] [的] [名为] 目录|文件夹 {path}",
    ],
  ],
  ["delete-folder", ["delete|remove [the] [whole] folder|directory|dir {path}", "删除|删掉 [这个] 目录|文件夹 {path}"]],
  ["delete", ["delete|remove [the] [file] {path}", "删除|删掉 [文件] {path}", "把 [文件] {path} 删除|删掉|删了"]],
  [
    "count-lines",
    [
      "how many lines are|does in|has {path} [have]",
      "how many lines does {path} have",
      "count [the] lines in|of {path}",
      "{path} 有 多少|几 行",
    ],
  ],
  [
    "append",
    [
      "append|add [the] [text|word|words|line] {text} to [the] [end|file] [of] {path}",
      "把|将 [文字|文本|内容] {text} 追加到|加到|添加到 [文件] {path} [里|中|末尾]",
      "追加 [文字|文本|内容] {text} 到 [文件] {path} [里|中|末尾]",
    ],
  ],
  [
    "write",
    [
      "create|make|write [me] [a] [new] [file] [called|named] {path} with|containing|saying [the] [text|word|words|content|contents|line] {text}",
      "create|make|write [me] [a] [new] [file] [called|named] {path} that|which says|contains|reads [the] [text|word|words|line] {text}",
      "write|save to|into|in [the] [file] {path} : {text}",
      "write|put|save|store [the] [text|word|words|line|following] {text} to|into|in|as [a] [the] [new] [file] [called|named] {path}",
      "把|将 [文字|文本|内容] {text} 写入|写到|写进|保存到|存到 [文件] {path} [里|中]",
      "写|写入|保存 [文字|文本|内容] {text} 到|进 [文件] {path} [里|中]",
      "在 [文件] {path} 里|中 写|写入|写上 {text}",
      "创建|新建|写 [一个] [文件] {path} ,|， 内容为|内容是|写着|写上|写入|包含|内容 [:|：] {text}",
      "创建|新建|写 [一个] [文件] {path} 内容为|内容是|写着|写上|写入|包含 [:|：] {text}",
    ],
  ],
  [
    "write-empty",
    [
      "create|make|touch [me] [a|an] [new] [empty] [file] [called|named] {path}",
      "创建|新建 [一个] [空] [的] [文件] {path}",
    ],
  ],
  [
    "changes",
    [
      "what|what's has|is|have|was [been] changed|new|modified [in] [the|this] [git|repo|repository|project|here]",
      "what|what's changed|new [in] [the|this] [git|repo|repository|project|here]",
      "what did i change [in] [the|this] [git|repo|repository|project|here]",
      "[show] [me] [the] [git] changes [in] [the|this] [git|repo|repository|project]",
      "[show] [me] [what|what's] [is] [the] git status",
      "git [里|中|里面] [有] [什么|哪些] 变化|改动|变更|修改 [了什么]",
      "git [里|中|里面] 改|变 了什么|了哪些",
      "[看看|查看|显示] git 状态|变化|改动",
      "[仓库|代码] [里|中] [有] 什么|哪些 变化|改动|变更|修改",
    ],
  ],
  ["diff", ["show [me] [the] [git] diff", "[看看|查看|显示] [git] 差异|diff"]],
  [
    "log",
    [
      "show [me] [the] [last|latest|recent] [git] log|history|commits [of|in] [git]",
      "what|what's are|is|were [the] last|latest|recent commits|commit",
      "[看看|查看|显示] [最近的|git] 提交 [记录|历史]",
    ],
  ],
  [
    "list",
    [
      "list|show [me] [all] [the] files|folder|directory in|of|under|inside [the] [folder|directory] {path}",
      "list [all] [the] contents of [the] [folder|directory] {path}",
      "show [me] [the] contents of [the] folder|directory {path}",
      "list|show [me] [all] [the] files|folder|directory [here] [in] [this] [the] [current] [folder|directory]",
      "what|which files are there|here|in [in] [this] [here] [folder|directory]",
      "what|which files are in {path}",
      "list {path}",
      "列出|显示|看看|查看 [所有] [当前|这里] [目录|文件夹] [下|中|里] [的] [所有] 文件|目录",
      "列出|显示|看看|查看 {path} [目录|文件夹] 下|中|里 [的] [所有] [文件]",
      "[这里|当前目录] 有哪些|有什么 文件",
      "{path} 下|中|里 [面] 有哪些|有什么 文件",
    ],
  ],
  [
    "find-files",
    [
      "find|search [for] [all] files [named|called|matching|like] {pattern} in|under|inside [the] [folder|directory] {path}",
      "find|search [for] [all] files [named|called|matching|like] {pattern}",
      "find|list [all] [the] {glob} [files] in|under|inside [the] [folder|directory] {path}",
      "find|list [all] [the] {glob} [files]",
      "在 {path} 里|中|下 [面] 查找|搜索|找|寻找 文件 {pattern}",
      "查找|搜索|找|寻找 [名为] 文件 [名为] {pattern}",
    ],
  ],
  [
    "search",
    [
      "find|search|grep|look [for] [all] [the] [word|text|string|occurrences|uses] [of] {pattern} in|under|inside|within [the] [file|folder|directory] {path}",
      "search|grep|look in [the] [file|folder|directory] {path} for [the] [word|text|string] {pattern}",
      "search|grep {path} for [the] [word|text|string] {pattern}",
      "where is {pattern} used|defined|mentioned in {path}",
      "where is {pattern} used|defined|mentioned",
      "find|search|grep|look [for] [all] [the] [word|text|string|occurrences|uses] [of] {pattern}",
      "在 {path} 里|中|下 [面] 查找|搜索|找|寻找|查 [一下] {pattern}",
      "查找|搜索|找|寻找 [一下] {path} 里|中|下 [面] 的 {pattern}",
      "查找|搜索|找|寻找|查 [一下] {pattern} 在 {path} [里|中|下]",
      "查找|搜索|找|寻找 [一下] {pattern}",
    ],
  ],
  [
    "where",
    [
      "where am i",
      "[what|what's] [is] [the] current|working directory|folder",
      "pwd",
      "[我] 在哪里|在哪",
      "当前目录 [是什么|在哪]",
    ],
  ],
  [
    "date",
    ["what|what's [is] [the] date|time|day [is] [it] [today|now]", "现在几点 [了]", "今天 [是] 几号|星期几|什么日子"],
  ],
  [
    "show-again",
    [
      "[and] show|read|print|display|cat|view|open [me] it|that|them [back|again] [to] [me]",
      "[and] show|read|print|display|view [me] [the] [its|that|this] file|content|contents|result [of] [it] [back|again]",
      "显示|查看|读|读取|打开|看|看看|展示|打印 [一下] 它|出来|内容|该文件|这个文件|文件内容|文件|结果 [的] [内容] [给我看] [出来]",
      "把 它 显示|读|打印 出来",
      "给我看 [看] [一下] [它]",
      "显示|查看|读取|打开|展示|打印|show|display|print [一下] [给我看]",
    ],
  ],
  [
    "read",
    [
      "read|show|display|print|cat|view|open [me] [the] [file|contents|content|text] [of] [the] [file] {path}",
      "show|tell [me] what|what's [is] in|inside {path}",
      "what|what's [is] in|inside [the] [file] {path}",
      "what does {path} say|contain",
      "读|读取|查看|显示|打开|看|看看|展示|打印 [一下] [文件] {path} [的] [内容] [给我看]",
      "{path} [里|中|里面] [的] 写了什么|是什么|有什么|内容是什么",
    ],
  ],
  [
    "run",
    [
      "run|execute|exec [the|this] [following] [shell] command|program [:] {command}",
      "run|execute|exec [:] {command}",
      "运行|执行|跑 [一下] [命令] [:|：] {command}",
    ],
  ],
];

/** Where one step ends and the next begins, whatever follows. */
export const joiners =
  /\s*[,;，；。.]?\s*(?:\band then\b|\bthen\b|\bafter that\b,?|\bafterwards\b,?|然后再|然后|接着|之后再|随后|最后)\s*[,，]?\s*/i;

/** May join two steps, or stand inside one: they part only where a verb follows and both sides make sense. */
export const softJoiners =
  /\s*(?:[,;，；。]\s*(?:\band\b|并且|并|再)?|\band\b|并且|再|\n)\s*(?=(?:please\s+)?(?:run|execute|read|show|display|print|cat|view|open|find|search|grep|write|create|make|put|save|append|add|delete|remove|list|what|tell|count|git|运行|执行|读|查看|显示|打开|看|查找|搜索|找|写|创建|新建|把|将|追加|删除|列出|在)(?![a-z]))/i;

/** Words before a request that change nothing. */
export const politeness =
  /^(?:(?:please|kindly|now|first|hey|hi|hello|ok|okay|talaria|can you|could you|would you|will you|i want you to|i'd like you to|let's|go ahead and|finally|also|and|请你|请|麻烦你|麻烦|帮我|帮忙|先|你能|能不能|可以|再|并)[\s,，:：]*)+/i;

/** Programs that are understood without a word before them. */
export const programs =
  /^(?:ls|pwd|date|whoami|git|npm|npx|node|cat|echo|head|tail|wc|grep|rg|python3?|uname|df|du|ps|env|make|curl|sleep|true|false)(?=\s|$)/;

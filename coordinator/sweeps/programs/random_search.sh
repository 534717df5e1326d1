# Random search, from the rows that it is given.
while read -r line; do
    case $line in
    *'"type":"hello"'*) echo '{"type":"ready","protocol":1}' ;;
    *'"type":"start"'*)
        rows=${line#*\"random_rows\":[}
        rows=${rows%%]*},
        echo '{"type":"started"}'
        ;;
    *'"type":"next"'*)
        iteration=${line#*\"iteration\":}
        printf '{"type":"row","iteration":%s,"row":%s}\n' "${iteration%%,*}" "${rows%%,*}"
        rows=${rows#*,}
        ;;
    *'"type":"end"'*) echo '{"type":"ended"}' ;;
    esac
done

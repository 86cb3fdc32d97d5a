graph [
  directed 1
  node [
    id 0
    label "0"
  ]
  node [
    id 1
    label "1"
  ]
  node [
    id 2
    label "3"
  ]
  node [
    id 3
    label "2"
  ]
  node [
    id 4
    label "4"
  ]
  node [
    id 5
    label "6"
  ]
  node [
    id 6
    label "5"
  ]
  node [
    id 7
    label "8"
  ]
  node [
    id 8
    label "7"
  ]
  edge [
    source 0
    target 1
    weight 12.5
  ]
  edge [
    source 0
    target 2
    weight 7.25
  ]
  edge [
    source 1
    target 0
    weight 12.5
  ]
  edge [
    source 1
    target 3
    weight 20
  ]
  edge [
    source 1
    target 4
    weight 31
  ]
  edge [
    source 2
    target 0
    weight 7.25
  ]
  edge [
    source 2
    target 4
    weight 11
  ]
  edge [
    source 2
    target 5
    weight 40
  ]
  edge [
    source 3
    target 1
    weight 20
  ]
  edge [
    source 4
    target 1
    weight 31
  ]
  edge [
    source 4
    target 2
    weight 11
  ]
  edge [
    source 4
    target 6
    weight 9.5
  ]
  edge [
    source 5
    target 2
    weight 40
  ]
  edge [
    source 5
    target 8
    weight 13
  ]
  edge [
    source 6
    target 4
    weight 9.5
  ]
  edge [
    source 6
    target 7
    weight 14
  ]
  edge [
    source 7
    target 4
    weight 2.5
  ]
  edge [
    source 7
    target 6
    weight 14
  ]
  edge [
    source 7
    target 8
    weight 6
  ]
  edge [
    source 8
    target 7
    weight 6
  ]
]
